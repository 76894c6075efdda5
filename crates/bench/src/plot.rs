//! Plots of a table as SVG: a panel for each series, ours and the published figures against the size, on one
//! logarithmic scale.

use crate::command::End;
use crate::table::Outcome;
use selvedge_bench::catalogue::{Axis, Table};
use std::fmt::Write;

const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 130.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 64.0;
const GAP_X: f64 = 26.0;
const GAP_Y: f64 = 52.0;
const COLUMNS: usize = 4;

const OURS: &str = "#1f5fa8";
const PUBLISHED: &str = "#b5482f";

/// One panel: points are size and value.
pub struct Panel {
    pub title: String,
    pub ours: Vec<(u32, f64)>,
    pub published: Vec<(u32, f64)>,
}

/// The panels of a table: of each series the rows under its last model, which is the weakest.
pub fn panels(table: &Table, axis: Axis, outcomes: &[Outcome]) -> Vec<Panel> {
    let mut panels = Vec::new();
    for series in table.series {
        let model = series.models.last().copied().unwrap_or("rc11");
        let mut panel = Panel { title: String::from(series.name), ours: Vec::new(), published: Vec::new() };
        if series.models.len() > 1 {
            let _ = write!(panel.title, ", {model}");
        }
        for o in outcomes.iter().filter(|o| std::ptr::eq(o.series, series) && o.model == model) {
            let (ours, published) = match axis {
                Axis::Seconds => (o.report.seconds, o.published_seconds),
                Axis::Executions => (
                    (o.report.executions + o.report.blocked) as f64,
                    o.size.executions.map(|n| (n + o.size.blocked.unwrap_or(0)) as f64),
                ),
            };
            if o.report.end != End::Interrupted {
                panel.ours.push((o.size.n, ours));
            }
            if let Some(value) = published.filter(|v| v.is_finite()) {
                panel.published.push((o.size.n, value));
            }
        }
        if panel.ours.len() > 1 || panel.published.len() > 1 {
            panels.push(panel);
        }
    }
    panels
}

/// Powers of ten around all values; at least one decade.
fn decades(panels: &[Panel]) -> (i32, i32) {
    let values = panels.iter().flat_map(|p| p.ours.iter().chain(&p.published)).map(|&(_, v)| v.max(1e-3));
    let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
    let low = if low.is_finite() { low.log10().floor() as i32 } else { 0 };
    let high = if high > 0.0 { high.log10().ceil() as i32 } else { 1 };
    (low, high.max(low + 1))
}

fn decade_label(exponent: i32) -> String {
    match exponent {
        -3..=3 => format!("{}", 10f64.powi(exponent)),
        _ => format!("10<tspan dy=\"-4\" font-size=\"8\">{exponent}</tspan>"),
    }
}

pub fn svg(title: &str, axis: Axis, panels: &[Panel]) -> String {
    let columns = COLUMNS.min(panels.len().max(1));
    let rows = panels.len().div_ceil(columns).max(1);
    let width = LEFT + columns as f64 * (WIDTH + GAP_X);
    let height = TOP + rows as f64 * (HEIGHT + GAP_Y);
    let (low, high) = decades(panels);
    let y_name = match axis {
        Axis::Seconds => "processor seconds",
        Axis::Executions => "executions, blocked ones included",
    };

    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#333\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
        escape(title)
    );
    let _ = writeln!(
        text,
        "<g font-size=\"11\"><path d=\"M{LEFT} 34h26\" stroke=\"{OURS}\" stroke-width=\"2\"/>\
         <text x=\"{}\" y=\"38\">Selvedge</text><path d=\"M{} 34h26\" stroke=\"{PUBLISHED}\" stroke-width=\"2\" \
         stroke-dasharray=\"5 3\"/><text x=\"{}\" y=\"38\">published</text><text x=\"{}\" y=\"38\" \
         fill=\"#777\">{y_name}, against the size</text></g>",
        LEFT + 32.0,
        LEFT + 100.0,
        LEFT + 132.0,
        LEFT + 204.0,
    );
    for (i, panel) in panels.iter().enumerate() {
        let x = LEFT + (i % columns) as f64 * (WIDTH + GAP_X);
        let y = TOP + (i / columns) as f64 * (HEIGHT + GAP_Y);
        draw(&mut text, panel, (x, y), (low, high), i % columns == 0);
    }
    text += "</svg>\n";
    text
}

fn draw(text: &mut String, panel: &Panel, (x, y): (f64, f64), (low, high): (i32, i32), labels: bool) {
    let sizes = panel.ours.iter().chain(&panel.published).map(|&(n, _)| n);
    let (first, last) = sizes.fold((u32::MAX, 0), |(l, h), n| (l.min(n), h.max(n)));
    let inset = 14.0;
    let at_x = |n: u32| {
        let span = f64::from(last.saturating_sub(first)).max(1.0);
        x + inset + f64::from(n - first) / span * (WIDTH - 2.0 * inset)
    };
    let at_y = |v: f64| {
        let share = (v.max(1e-3).log10() - f64::from(low)) / f64::from(high - low);
        y + HEIGHT - share * HEIGHT
    };

    let _ = writeln!(
        text,
        "<text x=\"{x:.1}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>\n\
         <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#bbb\"/>",
        y - 6.0,
        escape(&panel.title),
    );
    // With many decades, every other one is labelled.
    let step = if high - low > 6 { 2 } else { 1 };
    for exponent in low..=high {
        let line = at_y(10f64.powi(exponent));
        let _ = writeln!(text, "<path d=\"M{x:.1} {line:.1}h{WIDTH}\" stroke=\"#e4e4e4\"/>");
        if labels && (exponent - low) % step == 0 {
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                x - 6.0,
                line + 4.0,
                decade_label(exponent)
            );
        }
    }
    let mut ticks: Vec<u32> = panel.ours.iter().chain(&panel.published).map(|&(n, _)| n).collect();
    ticks.sort_unstable();
    ticks.dedup();
    for n in ticks {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{n}</text>",
            at_x(n),
            y + HEIGHT + 14.0
        );
    }
    for (points, colour, dashes) in
        [(&panel.published, PUBLISHED, " stroke-dasharray=\"5 3\""), (&panel.ours, OURS, "")]
    {
        let line: Vec<String> =
            points.iter().map(|&(n, v)| format!("{:.1},{:.1}", at_x(n), at_y(v))).collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
            line.join(" ")
        );
        for &(n, v) in points {
            let _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                at_x(n),
                at_y(v)
            );
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> Panel {
        Panel {
            title: String::from("a < b"),
            ours: vec![(3, 0.02), (5, 1.0)],
            published: vec![(3, 0.5), (5, 900.0)],
        }
    }

    #[test]
    fn the_scale_holds_all_values() {
        assert_eq!(decades(&[panel()]), (-2, 3));
        assert_eq!(decades(&[]), (0, 1));
    }

    #[test]
    fn points_are_where_their_values_are() {
        let text = svg("t", Axis::Seconds, &[panel()]);
        assert!(text.contains("a &lt; b"));
        // 1.0 is two of five decades above the bottom, at the right end.
        let y = TOP + HEIGHT - 2.0 / 5.0 * HEIGHT;
        let x = LEFT + WIDTH - 14.0;
        assert!(text.contains(&format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{OURS}\"")), "{text}");
    }
}
