//! Help, version, facts, completions and manual pages.

use crate::case::Case;

/// Standard output of a run that must succeed and say nothing else.
fn printed(args: &str) -> String {
    let answer = Case::new(args).run();
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{args}");
    answer.stdout
}

#[test]
fn help_texts_are_as_they_were() {
    for (name, args) in [
        ("pagepress_short", "-h"),
        ("pagepress_long", "--help"),
        ("estimate_short", "estimate -h"),
        ("estimate_long", "estimate --help"),
        ("plan_short", "plan -h"),
        ("plan_long", "plan --help"),
        ("plot_short", "plot -h"),
        ("plot_long", "plot --help"),
        ("inspect_short", "inspect -h"),
        ("inspect_long", "inspect --help"),
        ("verify_short", "verify -h"),
        ("verify_long", "verify --help"),
        ("merge_short", "merge -h"),
        ("merge_long", "merge --help"),
        ("generate_long", "generate --help"),
        ("facts_long", "facts --help"),
        ("completions_long", "completions --help"),
        ("man_long", "man --help"),
    ] {
        insta::assert_snapshot!(name, printed(args));
    }
}

#[test]
fn short_help_has_one_line_a_flag_and_fits_a_terminal() {
    for args in [
        "-h",
        "estimate -h",
        "inspect -h",
        "verify -h",
        "verify --help",
        "generate -h",
        "plan -h",
        "plan --help",
        "plot -h",
        "merge -h",
        "merge --help",
        "facts -h",
        "completions -h",
        "man -h",
        "estimate --help",
        "inspect --help",
        "generate --help",
        "plot --help",
    ] {
        for line in printed(args).lines() {
            assert!(line.chars().count() <= 79, "{args}: {line}");
            assert_eq!(line, line.trim_end(), "{args}");
        }
    }
    for args in ["estimate -h", "inspect -h", "verify -h", "generate -h", "plan -h", "plot -h", "sweep -h"] {
        for line in printed(args).lines().filter(|line| line.trim_start().starts_with('-')) {
            let (_, text) = line.trim_start().split_once("  ").unwrap_or_default();
            assert!(!text.trim().is_empty(), "no text beside: {line}");
        }
    }
}

#[test]
fn long_help_of_every_command_ends_with_examples() {
    for args in [
        "--help",
        "estimate --help",
        "inspect --help",
        "verify --help",
        "generate --help",
        "plot --help",
        "merge --help",
        "sweep --help",
        "facts --help",
        "completions --help",
        "man --help",
    ] {
        assert!(printed(args).contains("\nExamples:\n  "), "{args}");
    }
}

#[test]
fn version_is_one_line_and_verbose_names_the_encoders() {
    let version = concat!("pagepress ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(printed("--version"), version);
    assert_eq!(printed("-V"), version);
    let verbose = printed("--version --verbose");
    assert!(verbose.starts_with(version));
    for encoder in ["\nzstd 1.5.2\n", "\nsnappy ", "\nzlib "] {
        assert!(verbose.contains(encoder), "{verbose}");
    }
}

#[test]
fn facts_are_a_line_each_with_value_unit_and_source() {
    let facts = printed("facts");
    let lines: Vec<&str> = facts.lines().collect();
    assert!(lines[0].starts_with("fact ") && lines[0].ends_with("  source"));
    let leaf = lines.iter().find(|line| line.starts_with("leaf page maximum")).unwrap();
    let cells: Vec<&str> = leaf.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells, ["leaf page maximum", "32768", "B", "leaf_page_max"]);
    assert!(lines.iter().any(|line| line.starts_with("zstd ") && line.ends_with("1.5.2")));
}

#[test]
fn completions_and_manual_pages_are_made_from_the_grammar() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&format!("completions {shell}"));
        assert!(script.contains("on-bad-document"), "{shell}");
    }
    assert!(printed("man").contains("pagepress\\-estimate"));
    let page = printed("man estimate");
    assert!(page.contains(".SH NAME\npagepress\\-estimate") && page.contains("leaf\\-page\\-max"));
}
