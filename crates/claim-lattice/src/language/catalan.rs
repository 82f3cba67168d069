//! Catalan word lists, in the same form as the English ones.

pub(super) const STOP: &str = "el la els les lo l' un una uns unes en na d' de del dels al als a amb per pel pels per a des \
fins entre sense sobre sota contra cap segons durant i o ni que què qui quin quina quins quines com quan on perquè però sinó si doncs \
ja jo tu ell ella nosaltres vosaltres ells elles em et es ens us hi ho li me te se m' t' s' n' meu meva teu teva seu seva \
seus seves nostre nostra vostre vostra llur aquest aquesta aquests aquestes aquell aquella aquells aquelles això allò mateix mateixa \
és són era eren fou foren ser estar està estan estava estaven estat sigut ha han he hem heu has havia havien haver va van vaig vam vau \
vas fer fa fan feia feien fet pot poden podria podien pugui deu deuen no també molt molta molts moltes més menys tan tant \
tot tota tots totes cada altre altra altres algun alguna alguns algunes pocs poques mig força massa gaire només encara sempre mai quasi gairebé així \
abans després llavors aleshores mentre ara aquí allà tal tals qualsevol ambdós";

pub(super) const LIGHT: &str = "fer fa fan feu feren usar utilitzar donar anar venir incloure inclou inclouen coneguda conegut anomenat anomenada \
realment finalment originalment actualment anteriorment després aviat recentment manera maneres cosa coses tipus forma formes \
exemple cas casos fet nombre cert certa diferent diferents important importants generalment sovint especialment principalment \
aproximadament gairebé part parts temps lloc dia dies persona persones gent";

pub(super) const PRONOUNS: &str =
    "ell ella ells elles el la els les li ho això aquest aquesta qui que";

pub(super) const NEGATIONS: &str = "no mai cap res ningú ni enlloc sense tampoc gens manca manquen rebutja rebutjar rebutjà fracassa fracassar fracassà";

pub(super) const HEDGES: &str = "pot poden podria podrien pugui puguin potser probablement possiblement suposadament presumptament \
probable possible aparentment hipotèticament hauria haurien dubtós incert";

pub(super) const CONJUNCTIONS: &str = "i o però mentre perquè que quan on ja sinó";

pub(super) const ABILITIES: &str = "pot poden podia podien podria podrien capaç";

pub(super) const UNREAL: &str = "pla plans planeja planejava planejà pretén pretenia pretendre espera esperava proposa proposava proposà intenta intentava intentà intentar gairebé quasi";

pub(super) const MONTHS: &str = "gener gen | febrer febr | març | abril abr | maig | juny | juliol jul | agost ag | setembre set | octubre oct | novembre nov | desembre des";

pub(super) const NUMBERS: &str = "zero 0 un 1 una 1 dos 2 dues 2 tres 3 quatre 4 cinc 5 sis 6 set 7 vuit 8 nou 9 deu 10 onze 11 dotze 12 tretze 13 catorze 14 \
quinze 15 setze 16 disset 17 divuit 18 dinou 19 vint 20 trenta 30 quaranta 40 cinquanta 50 seixanta 60 setanta 70 vuitanta 80 noranta 90 \
cent 100 cents 100 mil 1000 milió 1000000 milions 1000000 bilió 1000000000000 dotzena 12";

pub(super) const ORDINALS: &str = "primer 1 primera 1 primers 1 primeres 1 segon 2 segona 2 tercer 3 tercera 3 quart 4 quarta 4 cinquè 5 cinquena 5 sisè 6 sisena 6 \
setè 7 setena 7 vuitè 8 vuitena 8 novè 9 novena 9 desè 10 desena 10 onzè 11 onzena 11 dotzè 12 dotzena 12 vintè 20 vintena 20 centè 100 centena 100 debut 1 inicial 1";

pub(super) const QUANTIFIERS: &str = "tot tota tots totes cada tothom sempre sencer sencera totalment | només sols únicament exclusivament solament | majoria majoritàriament | \
molts moltes molt molta nombrosos nombroses diversos diverses sovint múltiples | alguns algunes algun alguna certs certes parcialment | \
pocs poques poc poca rarament minoria | cap ningú res mai enlloc";

pub(super) const SUPERLATIVES: &str = "millor millors pitjor pitjors màxim màxima mínim mínima únic única suprem suprema principal rècord";

pub(super) const NOT_SUPERLATIVES: &str = "";

pub(super) const IRREGULAR: &str = "fou ser escrigué escriure escrit escriure escrita escriure escriví escriure nascut néixer nascuda néixer nasqué néixer naixement néixer mort morir morta morir morí morir \
guanyà guanyar guanyat guanyar guanyador guanyar perdé perdre perdut perdre pèrdua perdre vengué vendre venut vendre venda vendre vendes vendre \
obrí obrir obert obrir oberta obrir obertura obrir tancat tancar tancada tancar construí construir construït construir construïda construir construcció construir \
fundà fundar fundat fundar fundada fundar fundador fundar fundació fundar cresqué créixer crescut créixer creixement créixer va anar vagi anar \
homes home dones dona nens nen nenes nena ciutats ciutat països país veu veure vist veure vista veure rebé rebre rebut rebre casat casar casada casar casament casar casà casar \
pujà pujar pujada pujar pujat pujar baixà baixar baixada baixar baixat baixar augmentà augmentar augment augmentar disminuí disminuir disminució disminuir \
publicà publicar publicat publicar publicada publicar publicació publicar redueix reduir reduí reduir reduït reduir reducció reduir redueixen reduir";

pub(super) const SYNONYMS: &str = "pel·lícula film | començar iniciar inici | acabar finalitzar concloure fi final | comprar adquirir adquisició | gran enorme gros | petit menut | ciutat vila població municipi | país estat nació | \
nen infant criatura | mostrar demostrar indicar revelar | fer crear produir fabricar construir | usar utilitzar emprar | estudi recerca investigació | reduir disminuir baixar minvar | augmentar pujar créixer incrementar | \
important essencial crucial clau | metge doctor | autor escriptor | cançó tema | banda grup | feina treball ocupació | casa llar habitatge | malaltia afecció | medicament fàrmac | cotxe automòbil vehicle | empresa companyia | diners | ràpid veloç | \
obtenir rebre aconseguir | premi guardó | viure residir | fundar crear establir | dirigir liderar | triar escollir elegir | batalla combat lluita | zona àrea regió | causar provocar produir | passar ocórrer | incloure contenir | dir afirmar declarar | \
famós conegut cèlebre | ric adinerat | vell ancià antic | universitat | alumne estudiant | partit joc | equip | publicar editar | deixar abandonar | morir mort | donar oferir proporcionar | canviar modificar | rei monarca | exèrcit tropes | presó empresonar | \
català catalunya catalana | espanyol espanya espanyola | francès frança francesa | anglès anglaterra anglesa | alemany alemanya | italià itàlia italiana | portuguès portugal | americà amèrica americana | europeu europa europea | \
barceloní barcelona | valencià valència valenciana | mallorquí mallorca | grec grècia | rus rússia russa | xinès xina | japonès japó | any anual anualment | mes mensual | dia diari | setmana setmanal";

pub(super) const ANTONYMS: &str = "augmentar pujar créixer incrementar alçar / disminuir baixar reduir minvar caure decréixer | guanyar victòria / perdre derrota pèrdua | començar iniciar obrir / acabar finalitzar tancar | \
acceptar aprovar / rebutjar refusar denegar | viu viure sobreviure / mort morir matar | home masculí / dona femení | fill / filla | germà / germana | pare / mare | marit / muller | rei / reina | nord / sud | est / oest | esquerra / dreta | \
dalt / baix | abans anterior / després posterior | dins interior / fora exterior | primer / últim darrer | vell antic / jove nou | gran / petit | llarg / curt | alt / baix | ric / pobre | fort / feble | calent / fred | moll humit / sec | \
ràpid / lent | difícil / fàcil | bo bona millor positiu / dolent pitjor negatiu | segur / perillós | legal / il·legal | possible / impossible | públic / privat | majoria / minoria | més / menys | molts / pocs | tots / cap | sempre / mai | \
incloure / excloure | permetre / prohibir impedir | entrar arribar / sortir marxar | comprar / vendre | donar / prendre | construir crear / destruir enderrocar | atacar / defensar | aparèixer / desaparèixer | casat / divorciat solter | \
verdader cert / fals | igual mateix / diferent | amic aliat / enemic rival | comèdia / tragèdia | urbà / rural | dia / nit | estiu / hivern | primavera / tardor | matí / vespre | màxim / mínim | ple / buit | ample / estret";

pub(super) const FAMILIES: &str = "soprano contralt tenor baríton baix | vermell taronja groc verd blau lila rosa marró negre blanc gris | dilluns dimarts dimecres dijous divendres dissabte diumenge | primavera estiu tardor hivern | nord sud est oest | \
àfrica àsia europa oceania antàrtida | or plata bronze | guitarra piano violí flauta trompeta bateria violoncel arpa saxòfon | futbol bàsquet handbol tennis rugbi hoquei natació ciclisme golf | \
germà germana mare pare fill filla oncle tia cosí avi àvia neboda nebot marit muller | cristià musulmà jueu hindú budista | poeta novel·lista dramaturg periodista historiador filòsof | actor cantant pintor escultor fotògraf arquitecte advocat metge enginyer mestre | \
física química biologia matemàtiques astronomia geologia economia | novel·la poema pel·lícula òpera àlbum quadre escultura simfonia | rei reina príncep princesa duc comte emperador | president senador governador alcalde | \
gos gat cavall vaca porc ovella cabra | àguila falcó òliba corb | blat arròs blat de moro ordi | te cafè llet cervesa vi | fetge ronyó cor pulmó cervell estómac pell | segon minut hora dia setmana mes any dècada segle | \
riu llac mar muntanya desert illa | poble ciutat país continent | església mesquita sinagoga temple | gener febrer març abril maig juny juliol agost setembre octubre novembre desembre";

pub(super) const RELATION_QUESTIONS: &str = "qui és|qui era|qui va|qui són|qui ha|qui|quina empresa|quin país|quina ciutat|quina persona|com es diu|com es deia";
pub(super) const DATE_QUESTIONS: &str = "quan|quin any|en quin any|quina data|quin dia|des de quan";
pub(super) const LIST_QUESTIONS: &str = "anomena els|anomena les|enumera|llista els|llista les|quins són els|quines són les|digues els|digues les";
pub(super) const COUNT_QUESTIONS: &str = "quants|quantes|quant|quin nombre|quina quantitat";
pub(super) const CAUSE_QUESTIONS: &str =
    "per què|per quina raó|per quin motiu|què va causar|quina és la causa|quina va ser la causa";
pub(super) const REFUSALS: &str = "les fonts no ho diuen|les fonts no diuen|les fonts no esmenten|les fonts no contenen|la font no diu|no puc respondre|no es pot respondre|no hi ha informació|no hi ha prou informació|informació insuficient|els passatges no|el passatge no|els documents no|el context no|no ho sé|no s'esmenta a les|no consta a les";
pub(super) const WEAK_CAUSES: &str = "perquè raó raons motiu motius causa causes cosa coses gent persona anys temps lloc llocs pregunta resposta problema resultat efecte fet exemple nombre punt part món aquest aquesta";
