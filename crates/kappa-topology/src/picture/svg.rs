//! SVG that stands alone: no script, no outside font, readable on a light ground.

use std::fmt::{Display, Write};

use super::layout::{Area, BADGE_STRIP, Layout, NODE_HEIGHT, Spot, badge_width, layout};
use super::{FAULT, Scene, colours};
use crate::graph::Digraph;
use crate::topology::Topology;

/// The longest name that is shown whole; the rest is in the node's title.
const LONGEST_NAME: usize = 28;
/// How much of the end of a longer name is shown.
const KEPT_END: usize = 12;
const LEGEND_HEIGHT: f64 = 34.0;

/// The topology as one SVG element: components as halos with a κ badge, fault lines dashed.
///
/// Names longer than 28 characters are shortened; a pointer over the node shows them whole.
#[must_use]
pub fn to_svg<N, K>(graph: &Digraph<N>, topology: &Topology<N, K>) -> String
where
    N: Ord + Clone + Display,
    K: Display,
{
    let scene = Scene::new(graph, topology);
    let labels: Vec<String> = scene.names.iter().map(|name| shortened(name)).collect();
    let layout = layout(&scene, &labels);
    let mut text = String::new();
    open(&mut text, &layout);
    for (number, area) in layout.halos.iter().enumerate() {
        halo(&mut text, area, colours(number));
    }
    // Edges lie under nodes and badges, fault lines over other edges: nothing hides a name.
    for fault in [false, true] {
        for &(s, t) in scene
            .edges
            .iter()
            .filter(|e| scene.faults.contains(e) == fault)
        {
            edge(
                &mut text,
                layout.spots[s as usize],
                layout.spots[t as usize],
                fault,
            );
        }
    }
    for (v, spot) in layout.spots.iter().enumerate() {
        let border = scene.halo_of[v].map_or("#64748b", |h| colours(h as usize).1);
        node(&mut text, *spot, &labels[v], &scene.names[v], border);
    }
    for (number, (id, kappa, _)) in scene.halos.iter().enumerate() {
        badge(
            &mut text,
            &layout.halos[number],
            id,
            kappa,
            colours(number).1,
        );
    }
    legend(&mut text, layout.height);
    text.push_str("</svg>\n");
    text
}

fn open(text: &mut String, layout: &Layout) {
    let (width, height) = (layout.width.max(420.0), layout.height + LEGEND_HEIGHT);
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"12\">"
    );
    let _ = writeln!(
        text,
        "<defs><marker id=\"kt-arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#64748b\"/></marker><marker id=\"kt-fault\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"5\" markerHeight=\"5\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{FAULT}\"/></marker></defs>"
    );
    let _ = writeln!(
        text,
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    );
}

fn halo(text: &mut String, area: &Area, (fill, border): (&str, &str)) {
    let Area {
        x,
        y,
        width,
        height,
    } = *area;
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"22\" fill=\"{fill}\" fill-opacity=\"0.6\" stroke=\"{border}\" stroke-opacity=\"0.5\" stroke-width=\"2\"/>"
    );
}

fn badge(text: &mut String, area: &Area, id: &str, kappa: &str, colour: &str) {
    let (x, y) = (area.x + 14.0, area.y + 8.0);
    let width = badge_width(id, kappa);
    let height = BADGE_STRIP - 12.0;
    let _ = writeln!(
        text,
        "<g><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"11\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#ffffff\" font-weight=\"bold\" text-anchor=\"middle\">{}  κ = {}</text></g>",
        x + width / 2.0,
        y + height / 2.0 + 4.2,
        escaped(id),
        escaped(kappa),
    );
}

fn node(text: &mut String, spot: Spot, label: &str, name: &str, border: &str) {
    let (x, y) = (spot.x - spot.width / 2.0, spot.y - NODE_HEIGHT / 2.0);
    let _ = writeln!(
        text,
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{NODE_HEIGHT}\" rx=\"8\" fill=\"#ffffff\" stroke=\"{border}\" stroke-width=\"1.4\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#0f172a\" text-anchor=\"middle\">{}</text></g>",
        escaped(name),
        spot.width,
        spot.x,
        spot.y + 4.2,
        escaped(label),
    );
}

/// A curve bent to the left of its direction, so that two opposite edges stay apart.
fn edge(text: &mut String, from: Spot, to: Spot, fault: bool) {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let bend = (length * 0.16).clamp(12.0, 44.0);
    let (cx, cy) = (
        (from.x + to.x) / 2.0 + dy / length * bend,
        (from.y + to.y) / 2.0 - dx / length * bend,
    );
    let (x1, y1) = border_point(from, cx, cy);
    let (x2, y2) = border_point(to, cx, cy);
    let style = if fault {
        format!(
            "stroke=\"{FAULT}\" stroke-width=\"2.4\" stroke-dasharray=\"7 5\" marker-end=\"url(#kt-fault)\""
        )
    } else {
        "stroke=\"#64748b\" stroke-opacity=\"0.75\" stroke-width=\"1.3\" marker-end=\"url(#kt-arrow)\"".to_owned()
    };
    let _ = writeln!(
        text,
        "<path d=\"M{x1:.1} {y1:.1}Q{cx:.1} {cy:.1} {x2:.1} {y2:.1}\" fill=\"none\" {style}/>"
    );
}

/// Where the line from a node's centre to a point leaves the node.
fn border_point(spot: Spot, x: f64, y: f64) -> (f64, f64) {
    let (dx, dy) = (x - spot.x, y - spot.y);
    let (half_width, half_height) = (spot.width / 2.0 + 1.0, NODE_HEIGHT / 2.0 + 1.0);
    let by_width = if dx == 0.0 {
        f64::INFINITY
    } else {
        half_width / dx.abs()
    };
    let by_height = if dy == 0.0 {
        f64::INFINITY
    } else {
        half_height / dy.abs()
    };
    let part = by_width.min(by_height).min(1.0);
    (spot.x + dx * part, spot.y + dy * part)
}

fn legend(text: &mut String, y: f64) {
    let baseline = y + 12.0;
    let _ = writeln!(
        text,
        "<g fill=\"#334155\"><path d=\"M24 {0:.1}h44\" stroke=\"{FAULT}\" stroke-width=\"2.4\" stroke-dasharray=\"7 5\"/><text x=\"78\" y=\"{1:.1}\">fault line (one minimum cut of κ edges)</text></g>",
        baseline - 4.0,
        baseline,
    );
}

/// A name without control characters, cut in the middle if it is long: many names differ only
/// at their end.
fn shortened(name: &str) -> String {
    let name: Vec<char> = name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if name.len() <= LONGEST_NAME {
        return name.into_iter().collect();
    }
    let end = &name[name.len() - KEPT_END..];
    name[..LONGEST_NAME - KEPT_END - 1]
        .iter()
        .chain(&['…'])
        .chain(end)
        .collect()
}

/// Text for XML: markup becomes entities, control characters (forbidden there) spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
