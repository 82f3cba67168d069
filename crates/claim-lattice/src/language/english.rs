//! English word lists. Written for this crate; groups are separated by `|`, their members by
//! white space.

/// Function words: no content of their own.
pub(super) const STOP: &str = "a an the this that these those there here it its it's itself he him his \
himself she her hers herself they them their theirs themselves we us our ours i me my mine you your \
yours who whom whose which what when where why how and or nor but if then else than so as at by for from in \
into of off on onto out over to up upon with within without about above across after against along \
amid among around before behind below beneath beside besides between beyond down during except \
inside like near outside past per since through throughout toward towards under underneath until \
till via is are was were be been being am isn't aren't wasn't weren't do does did doing done don't doesn't didn't \
have has had having haven't hasn't hadn't will would shall should can could may might must ought \
won't wouldn't shan't shouldn't can't cannot couldn't mustn't not no n't also too very just quite rather \
such same own other others another each every any some all both either neither \
yet still even ever again once because though although while whereas whether however therefore thus \
hence moreover furthermore etc eg ie vs more most less least much many few several lot lots one's \
well s t d ll re ve m let's that's there's he's she's what's who's i'm you're we're they're \
i've you've we've they've get gets got getting become becomes became becoming";

/// Light words: verbs, nouns and adverbs that carry little of their own. They are no content
/// tokens either.
pub(super) const LIGHT: &str = "make makes made making take takes took taken taking use uses used using give gives gave given \
go goes went gone going come comes came coming include includes included including involve involves involved \
involving help helps helped helping need needs needed require requires required provide provides provided \
know known called call named actually really famously famous well-known popularly apparently eventually \
originally initially finally ultimately currently previously formerly later soon early late ago recently \
way ways thing things kind kinds type types sort form forms example examples case cases fact number \
certain specific particular various different important significant able likely overall general generally \
usually typically often sometimes especially particularly specifically mainly primarily largely simply \
directly fully completely totally highly widely greatly approximately around nearly almost roughly about \
according based due following related regarding respectively total whole part portion amount \
time times place day days person people someone something anything everything anyone everyone \
along alongside together apart back away ahead instead despite against towards during prior \
want wants wanted try tries tried seem seems seemed appear appears appeared tend tends tended \
consider considered considers mean means allow allows allowed ensure ensures ensuring lead leads led leading \
result results resulted resulting cause causes caused occur occurs occurred happen happens happened \
show shows showed shown say says said state states stated \
note noted notes noting conclusion summary addition additionally similarly likewise notably importantly essentially basically effectively \
article articles website webpage source sources according refer refers referred describe describes described mention mentions mentioned \
suggest suggests suggested indicate indicates indicated aim aims aimed play plays played role roles \
context aspect aspects factor factors process processes approach approaches overall ensure";

/// Pronouns, which stand for a name that was said before.
pub(super) const PRONOUNS: &str = "he him his himself she her hers herself it its itself they them their \
theirs themselves this that these those who which one";

/// Words that deny.
pub(super) const NEGATIONS: &str = "not no never none nobody nothing nowhere neither nor without cannot can't don't doesn't didn't \
isn't aren't wasn't weren't won't wouldn't shouldn't couldn't haven't hasn't hadn't mustn't hardly \
scarcely barely lack lacks lacked lacking fail fails failed failing unable refuse refuses refused";

/// Words that make a statement a possibility.
pub(super) const HEDGES: &str = "may might could possibly perhaps maybe probably likely unlikely allegedly reportedly supposedly \
rumored rumoured potential potentially presumably hypothesized hypothesised speculated unclear \
unconfirmed disputed purportedly arguably uncertain tentative";

/// Words that open a clause.
pub(super) const CONJUNCTIONS: &str =
    "and but or while whereas because although though which who whose when where since so";

/// Words of ability: weaker than a fact, so that a possibility bears them.
pub(super) const ABILITIES: &str = "can could able";

/// Words that state an attempt or a plan, not its outcome.
pub(super) const UNREAL: &str = "plan plans planned intend intends intended hope hopes hoped propose proposes proposed attempt \
attempts attempted almost nearly";

/// The months, in order.
pub(super) const MONTHS: &str = "january jan | february feb | march mar | april apr | may | june jun | july jul \
| august aug | september sept sep | october oct | november nov | december dec";

/// Number words with their values.
pub(super) const NUMBERS: &str = "zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 \
eleven 11 twelve 12 thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 \
nineteen 19 twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90 \
hundred 100 thousand 1000 million 1000000 billion 1000000000 trillion 1000000000000 \
dozen 12 twice 2 thrice 3";

/// Ordinals with their values.
pub(super) const ORDINALS: &str = "first 1 second 2 third 3 fourth 4 fifth 5 sixth 6 seventh 7 eighth 8 ninth 9 \
tenth 10 eleventh 11 twelfth 12 thirteenth 13 fourteenth 14 fifteenth 15 sixteenth 16 \
seventeenth 17 eighteenth 18 nineteenth 19 twentieth 20 thirtieth 30 fortieth 40 fiftieth 50 \
hundredth 100 debut 1 inaugural 1 firstly 1 initial 1 maiden 1";

/// Quantifiers by rank: universal | exclusive | majority | many | some | few | none.
pub(super) const QUANTIFIERS: &str = "all every everyone everybody everything always entire entirely invariably \
| only solely exclusively alone sole | most mostly majority predominantly \
| many much numerous multiple various often frequently countless plenty \
| some several sometimes certain partly partially somewhat occasionally part \
| few little rarely seldom hardly scarcely minority | none no never nobody nothing neither nowhere";

/// Superlatives that end in nothing regular, and words that put something above all others.
pub(super) const SUPERLATIVES: &str = "best worst most foremost highest lowest largest biggest smallest longest shortest oldest youngest earliest latest \
tallest greatest fastest slowest richest poorest deepest strongest weakest busiest";

/// Words in `-est` that are no superlatives.
pub(super) const NOT_SUPERLATIVES: &str = "forest west rest test interest request guest quest contest protest \
harvest invest suggest honest modest arrest chest nest best digest northwest southwest midwest \
conquest manifest everest budapest bucharest priest crest vest pest request tempest fest \
attest detest divest infest ingest molest behest earnest inquest wrest zest jest lest";

/// Forms that no stemmer brings to their lemma: form, then lemma.
pub(super) const IRREGULAR: &str = "wrote write written write won win sang sing sung sing song sing songs sing rose rise risen rise fell fall \
fallen fall grew grow grown grow went go gone go came come took take taken take gave give given give \
made make began begin begun begin became become broke break broken break brought bring built build bought buy \
caught catch chose choose chosen choose did do done do drew draw drawn draw drank drink drunk drink \
drove drive driven drive ate eat eaten eat fought fight found find flew fly flown fly forgot forget \
forgotten forget froze freeze frozen freeze had have heard hear held hold hid hide hidden hide kept keep \
knew know known know laid lay led lead left leave lent lend lost lose meant mean met meet paid pay rang ring \
rung ring ran run said say saw see seen see sold sell sent send shook shake shaken shake shot shoot \
shown show shrank shrink shrunk shrink slept sleep spoke speak spoken speak spent spend stood stand stole steal stolen steal \
struck strike swam swim swum swim taught teach tore tear torn tear told tell thought think threw throw \
thrown throw understood understand wore wear worn wear withdrew withdraw withdrawn withdraw \
born birth birth birth died die dead die death die deaths die dies die dying die \
men man women woman children child people person persons person feet foot teeth tooth mice mouse \
wives wife lives life lived live living live knives knife leaves leaf wolves wolf halves half \
criteria criterion phenomena phenomenon data datum analyses analysis theses thesis crises crisis \
married marry marriage marry marries marry wed marry wedding marry better good best good worse bad worst bad \
further far farther far elder old eldest old bore bear borne bear bound bind cast cast dealt deal \
dug dig fed feed felt feel fled flee forbade forbid forbidden forbid hung hang lit light overcame overcome \
proven prove sank sink sunk sink sought seek shone shine slid slide sprang spring stuck stick \
swore swear sworn swear swept sweep undertook undertake undertaken undertake woke wake woven weave \
published publish publication publish growth grow loss lose losses lose sale sell sales sell \
belief believe beliefs believe proof prove choice choose choices choose speech speak thought think \
flight fly success succeed arrival arrive departure depart failure fail success succeed \
discovery discover discoveries discover refusal refuse survival survive approval approve \
removal remove proposal propose victory win length long height tall width wide depth deep \
strength strong warmth warm heat hot analysis analyse analyze analyse analyzed analyse";

/// Opposites: the two sides are separated by `/`.
pub(super) const ANTONYMS: &str = "increase raise rise grow climb boost elevate gain surge soar expand higher upregulate accelerate / \
decrease reduce lower fall decline diminish drop shrink lessen cut lose contract downregulate decelerate | \
win victory triumph / lose loss defeat | succeed success successful / fail failure unsuccessful | \
begin start open commence launch / end finish close cease stop conclude | accept approve agree / reject refuse decline deny disapprove disagree | \
love like enjoy admire / hate dislike despise loathe | alive live survive survivor / dead die kill death | \
male man men boy / female woman women girl | son / daughter | brother / sister | father / mother | husband / wife | uncle / aunt | nephew / niece | \
king / queen | prince / princess | actor / actress | north northern / south southern | east eastern / west western | left / right | \
above / below | before prior earlier / after following later | inside indoor internal / outside outdoor external | early / late | first / last final | \
old elder older oldest / young younger youngest new | big large great larger largest biggest / small little tiny smaller smallest | \
long longer longest / short shorter shortest | tall high highest taller tallest / short low lowest | \
rich wealthy / poor | strong stronger strength / weak weaker weakness | hot warm / cold cool | wet / dry | light / dark | heavy / light | \
fast quick rapid faster fastest / slow slower slowest | hard difficult / easy simple | soft / hard | good best better positive / bad worst worse negative poor | \
safe / dangerous unsafe | legal / illegal | possible / impossible | able / unable | known / unknown | common / rare uncommon | \
popular / unpopular | public / private | major majority / minor minority | more / less fewer | most / least fewest | many numerous / few | all / none | always / never | everyone / nobody | \
include / exclude | allow permit enable / forbid ban prohibit prevent block | join enter arrive / leave exit depart | buy / sell | give / take | send / receive | push / pull | \
build construct create / destroy demolish ruin | attack / defend | import / export | appear / disappear vanish | remember / forget | find discover / lose | \
support endorse favour favor / oppose criticize criticise condemn | praise acclaim / criticize criticise pan | improve improvement better / worsen deteriorate | \
promote activate stimulate induce enhance / inhibit suppress block repress impair | active / inactive passive | gain / loss | connect join attach / separate detach disconnect | \
unite merge / divide split separate | married marry / divorced divorce single unmarried | present / absent | true / false | same identical / different | similar / different dissimilar | \
guilty convict / innocent acquit | friend ally / enemy rival foe | hero protagonist / villain antagonist | comedy / tragedy | fiction fictional / nonfiction factual real | \
conservative right-wing / liberal left-wing | democrat democratic / republican | urban / rural | rural / city | odd / even | full / empty | thick / thin | wide broad / narrow | deep / shallow | \
domestic / foreign international | temporary / permanent | voluntary / compulsory mandatory forced | mandatory required / optional | natural / artificial synthetic | \
single / multiple several | solo alone / together jointly | dependent / independent | mature adult / immature juvenile | day / night | summer / winter | spring / autumn fall | \
morning / evening | predecessor / successor | precede / follow succeed | parent / child | teacher / student pupil | employer / employee | host / guest | leader / follower | \
vertical / horizontal | upper / lower | front / back rear | top / bottom | ancient / modern | advantage / disadvantage | benefit / harm | effective / ineffective | \
sensitive / resistant insensitive | susceptible / resistant immune | healthy / sick ill diseased | acute / chronic | benign / malignant | maximum / minimum | \
abundant / scarce | complete / incomplete partial | direct / indirect | regular / irregular | stable / unstable | visible / invisible | \
acquitted / convicted | hired / fired dismissed | employed / unemployed | optimistic / pessimistic | peace / war | northernmost / southernmost | \
praised / criticized | longest / shortest | oldest / youngest newest | highest / lowest | largest / smallest | best / worst | most / fewest | black / white | \
clockwise / counterclockwise | inferior / superior | ascend / descend | credit / debit | deny / confirm admit | hide conceal / reveal expose | \
lend / borrow | lengthen extend / shorten | strengthen / weaken | widen / narrow | tighten / loosen | heat / cool | freeze / melt thaw | rich / poor";

/// Small closed families whose members exclude one another.
pub(super) const FAMILIES: &str = "soprano mezzo alto contralto tenor baritone bass countertenor | red orange yellow green blue purple violet pink brown black white gray grey \
| monday tuesday wednesday thursday friday saturday sunday | spring summer autumn winter | north south east west northeast northwest southeast southwest | northern southern eastern western \
| africa asia europe antarctica oceania | mercury venus mars jupiter saturn uranus neptune pluto | gold silver bronze platinum | gold silver copper iron lead tin zinc nickel aluminium aluminum mercury \
| guitar piano violin drum drums cello flute trumpet saxophone clarinet harp organ banjo mandolin ukulele viola trombone accordion harmonica keyboard \
| football soccer basketball baseball hockey cricket tennis rugby golf volleyball boxing wrestling swimming cycling rowing handball badminton softball lacrosse | striker defender midfielder goalkeeper | pitcher catcher shortstop outfielder \
| quarterback linebacker cornerback | brother sister mother father son daughter uncle aunt nephew niece cousin grandmother grandfather grandson granddaughter wife husband \
| christian christianity muslim islam jewish judaism hindu hinduism buddhist buddhism sikh | catholic protestant orthodox anglican lutheran methodist baptist | poet novelist playwright journalist historian philosopher \
| actor singer dancer comedian painter sculptor photographer architect lawyer doctor engineer scientist teacher politician | physicist chemist biologist mathematician astronomer geologist botanist zoologist psychologist economist \
| physics chemistry biology mathematics astronomy geology economics psychology sociology literature medicine law | novel poem play film opera musical ballet symphony album song painting sculpture | comedy tragedy drama horror thriller western romance \
| king queen prince princess duke duchess earl count baron emperor empress tsar sultan | president vice-president senator governor mayor congressman chancellor | general colonel major captain lieutenant sergeant corporal private admiral \
| army navy airforce marines | republican democrat libertarian socialist communist conservative labour | cat dog horse cow pig sheep goat chicken duck rabbit | lion tiger leopard cheetah jaguar bear wolf fox | dolphin whale shark seal otter | eagle hawk owl falcon crow raven sparrow \
| mammal reptile amphibian bird fish insect | apple banana pear peach cherry grape lemon lime plum mango | wheat rice corn barley oats rye | beef pork lamb poultry | tea coffee cocoa milk beer wine whisky whiskey vodka rum gin \
| oak pine maple birch elm ash willow cedar | rose lily tulip daisy orchid | liver kidney heart lung brain stomach pancreas spleen skin bone | arm leg hand foot head neck shoulder knee elbow ankle wrist hip | left right \
| cancer diabetes asthma tuberculosis malaria cholera pneumonia influenza leukemia | breast prostate colorectal colon cervical ovarian pancreatic | virus bacterium bacteria fungus parasite | oxygen nitrogen hydrogen helium carbon | protein carbohydrate fat fiber fibre vitamin | dna rna protein lipid \
| second minute hour day week month year decade century millennium | weekly daily monthly yearly annual hourly | inch foot feet yard mile metre meter kilometre kilometer centimetre | ounce pound kilogram gram ton tonne | dollar pound euro yen franc mark peso rupee \
| bachelor master doctorate | freshman sophomore junior senior | elementary primary secondary tertiary | kindergarten school university college | hearts spades diamonds clubs | circle square triangle rectangle pentagon hexagon octagon | sphere cube cone cylinder pyramid \
| car train plane bus ship bicycle motorcycle helicopter submarine | river lake ocean sea mountain desert island valley | village town city country continent | church mosque synagogue temple | murder suicide accident illness | drowned shot stabbed poisoned hanged strangled \
| sword spear bow axe dagger pistol rifle | past present future | morning afternoon evening night | breakfast lunch dinner supper | january february march april may june july august september october november december \
| quarterfinal semifinal final | winner runner-up | debut sequel prequel remake reboot spinoff | adopted biological | writer director producer | keyboardist guitarist drummer bassist vocalist pianist violinist saxophonist trumpeter \
| solid liquid gas plasma | positive negative neutral | mother father | clockwise anticlockwise | vegan vegetarian | atheist agnostic | straight gay bisexual | paperback hardcover | blond blonde brunette redhead";

/// Phrases of questions after a relation.
pub(super) const RELATION_QUESTIONS: &str = "who is|who was|who are|who were|who did|who has|who founded|who wrote|who invented|who made|who|whom|whose|which person|which company|which country|which city|which team|what company|what is the name|what was the name|what country|what city";
/// Phrases of questions after dates.
pub(super) const DATE_QUESTIONS: &str =
    "when|what year|which year|what date|what day|in what year|how long ago|since when";
/// Phrases of questions after lists.
pub(super) const LIST_QUESTIONS: &str = "name the|list the|list all|name all|which are|what are the|who are the|enumerate|give the names|name some|list some";
/// Phrases of questions after counts.
pub(super) const COUNT_QUESTIONS: &str =
    "how many|how much|what number|what is the number|number of";
/// Phrases of questions after causes.
pub(super) const CAUSE_QUESTIONS: &str = "why|what caused|what causes|how come|for what reason|what is the reason|what was the reason|what led to";

/// Phrases by which an answer says that the sources do not answer.
pub(super) const REFUSALS: &str = "sources do not say|sources do not mention|sources don't say|sources don't mention|sources do not contain|sources don't contain|sources do not provide|sources don't provide|sources do not answer|source does not say|does not say anything|evidence does not say|evidence does not mention|evidence does not contain|evidence does not answer|cannot answer from the|can't answer from the|cannot be answered from the|can't be answered from the|cannot answer this question|can't answer this question|cannot answer based on|not answered by the|no information in the|no information about this|not enough information|insufficient information|passages do not|passage does not|context does not|provided documents do not|documents do not say|documents do not contain|i do not know|i don't know|unable to answer|not stated in the|not mentioned in the|not found in the sources|no evidence in the";

/// Common nouns and adverbs too weak to be a cause.
pub(super) const WEAK_CAUSES: &str = "because reason reasons cause causes caused thing things people person something things \
year years time times place places matter matters question answer problem result results effect effects \
fact facts example number amount point part world there their which where while would could should about \
after before being these those other since";
