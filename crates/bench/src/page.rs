//! A page of tables, of which some are replaced.
//!
//! A section begins with a line `## TITLE [NAME]`, or `## TITLE`, and goes up to the next such line.

/// The sections of a page, with their names; what is before the first heading has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    sections: Vec<(Option<String>, String)>,
}

/// The name of a section that begins with this line.
fn name_of(heading: &str) -> Option<String> {
    let (_, name) = heading.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    Some(name.to_string())
}

impl Page {
    pub fn of(text: &str) -> Page {
        let mut sections = vec![(None, String::new())];
        for line in text.split_inclusive('\n') {
            if line.starts_with("## ") {
                sections.push((name_of(line), String::new()));
            }
            if let Some((_, text)) = sections.last_mut() {
                text.push_str(line);
            }
        }
        Page { sections }
    }

    pub fn text(&self) -> String {
        self.sections.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Puts a section in the place of the one that has its name. A new one comes before the first that is
    /// after it in `order`, or after all that have a name.
    pub fn put(&mut self, name: &str, text: &str, order: &[&str]) {
        let place = |name: &str| order.iter().position(|n| *n == name).unwrap_or(order.len());
        let named = |section: &(Option<String>, String)| section.0.as_deref() == Some(name);
        if let Some((_, old)) = self.sections.iter_mut().find(|s| named(s)) {
            return *old = text.to_string();
        }
        let later = |(other, _): &(Option<String>, String)| {
            other.as_deref().is_some_and(|other| place(other) > place(name))
        };
        let last = self.sections.iter().rposition(|(name, _)| name.is_some()).map_or(1, |at| at + 1);
        let at = self.sections.iter().position(later).unwrap_or(last);
        self.sections.insert(at, (Some(name.to_string()), text.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# T\n\nwords\n\n## One [a]\n\n| 1 |\n\n## All ([K] Fig. 4) [c]\n\n| 3 |\n\n## Words\n\nmore\n";
    const ORDER: [&str; 3] = ["a", "b", "c"];

    #[test]
    fn a_section_is_replaced_and_the_rest_stays() {
        let mut page = Page::of(TEXT);
        assert_eq!(page.text(), TEXT);
        page.put("c", "## All ([K] Fig. 4) [c]\n\n| 4 |\n\n", &ORDER);
        assert_eq!(page.text(), TEXT.replace("| 3 |", "| 4 |"));
    }

    #[test]
    fn a_new_section_has_its_place() {
        let mut page = Page::of(TEXT);
        page.put("b", "## Two [b]\n\n", &ORDER);
        assert_eq!(page.text(), TEXT.replace("## All", "## Two [b]\n\n## All"));
        let mut page = Page::of(TEXT);
        page.put("d", "## Four [d]\n\n", &ORDER);
        assert_eq!(page.text(), TEXT.replace("## Words", "## Four [d]\n\n## Words"));
    }
}
