//! `pagepress plot`, `--plots` and `--output html` as a program: pictures as they were, messages, nothing half-written.

use crate::case::{Answer, Case, documents};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;

const SWEEP: &str = include_str!("reports/sweep.json");
const ESTIMATE: &str = include_str!("reports/estimate.json");

fn drawn(report: &str, args: &str) -> (Case, Answer) {
    let case =
        Case::new(&format!("plot report.json --out plots {args}")).file("report.json", report.as_bytes());
    let answer = case.run();
    (case, answer)
}

fn files(case: &Case) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(case.path("plots")).unwrap();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Pictures of one sweep and of one estimate, as text; a change shows as a diff, and is looked at before it is taken.
#[test]
fn svg_files_of_fixed_reports_are_as_they_were() {
    for (name, report) in [("sweep", SWEEP), ("estimate", ESTIMATE)] {
        let (case, answer) = drawn(report, "--format svg");
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        for (file, bytes) in files(&case) {
            let plot = file.rsplit_once('-').unwrap().1.trim_end_matches(".svg");
            insta::assert_snapshot!(format!("{name}_{plot}"), String::from_utf8(bytes).unwrap());
        }
    }
}

/// Pixels come from sums of floating-point numbers, so this holds them to be the same on every machine.
#[test]
fn png_files_of_fixed_reports_are_as_they_were() {
    let mut digests = String::new();
    for report in [SWEEP, ESTIMATE] {
        let (case, _) = drawn(report, "--format png");
        for (file, bytes) in files(&case) {
            assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{file}");
            writeln!(digests, "{:x}  {file}", Sha256::digest(&bytes)).unwrap();
        }
    }
    insta::assert_snapshot!("png_digests", digests);
}

#[test]
fn the_same_report_gives_the_same_bytes_and_their_names_are_printed() {
    let (one, answer) = drawn(SWEEP, "");
    let (other, _) = drawn(SWEEP, "");
    assert_eq!(files(&one), files(&other));
    let names: Vec<String> =
        answer.stdout.lines().map(|line| line.trim_start_matches("plots/").to_owned()).collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(sorted, files(&one).into_iter().map(|(name, _)| name).collect::<Vec<_>>());
    assert!(
        names.len() == 12,
        "two formats each of storage, speed, levels, leaf sizes, blocks, cold scan: {names:?}"
    );
}

#[test]
fn two_reports_of_one_name_do_not_overwrite_each_other() {
    let case = Case::new("plot a.json b.json --out plots --format svg");
    let case = case.file("a.json", SWEEP.as_bytes()).file("b.json", SWEEP.as_bytes());
    assert_eq!(case.run().code, 0);
    let names: Vec<String> = files(&case).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"flights-storage.svg".to_owned()), "{names:?}");
    assert!(names.contains(&"flights-2-storage.svg".to_owned()), "{names:?}");
}

/// Names come from documents; a picture that is opened in a browser must take them for text.
#[test]
fn names_of_collections_are_text_in_pictures() {
    let (case, _) = drawn(ESTIMATE, "--format svg");
    for (name, bytes) in files(&case) {
        let svg = String::from_utf8(bytes).unwrap();
        assert!(!svg.contains("<script") && !svg.contains('\u{2028}'), "{name}");
        assert!(svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{name}");
    }
}

fn refused(report: &str, message: &str) {
    let (case, Answer { code, stdout, stderr }) = drawn(report, "");
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (2, "", message));
    assert!(!case.path("plots").exists(), "nothing is made for a report that cannot be drawn");
}

const MAKE: &str =
    "\nhint: to make a report, run `pagepress estimate --output json --out report.json INPUT`\n";
const AGAIN: &str = "\nhint: run the command that made it again, with this pagepress\n";

#[test]
fn text_that_is_no_json_is_told_with_its_place() {
    for (report, reason) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("hello", "expected value at line 1 column 1"),
        ("{\"schema\": 1,", "EOF while parsing a value at line 1 column 13"),
    ] {
        refused(report, &format!("error: report.json: is no JSON: {reason}\n{MAKE}"));
    }
}

#[test]
fn json_that_is_not_ours_is_told_by_what_stands_in_place_of_our_name() {
    for (report, found) in [
        ("[1]", "`tool.name` is missing"),
        ("{\"name\": \"x\"}", "`tool.name` is missing"),
        ("{\"tool\": {\"name\": \"df\"}}", "`tool.name` is \"df\""),
        ("{\"tool\": {\"name\": \"pagepress\"}}", "`schema` is missing or no number"),
    ] {
        refused(report, &format!("error: report.json: is no report of pagepress: {found}\n{MAKE}"));
    }
}

#[test]
fn reports_of_other_schemas_are_told_by_their_number() {
    let of = |schema: u32| SWEEP.replacen("\"schema\": 1", &format!("\"schema\": {schema}"), 1);
    let error =
        |schema: u32| format!("error: report.json: has schema {schema}; this pagepress reads schema 1\n");
    refused(&of(0), &format!("{}{AGAIN}", error(0)));
    let newer = "\nhint: a newer pagepress wrote it; draw it with that one\n";
    refused(&of(2), &format!("{}{newer}", error(2)));
}

#[test]
fn reports_of_other_commands_damaged_and_empty_ones_are_told_apart() {
    let plan = SWEEP.replacen("\"command\": \"sweep\"", "\"command\": \"verify\"", 1);
    let error = "error: report.json: is a report of `verify`; plots are drawn of estimate, sweep and plan\n";
    refused(&plan, &format!("{error}{MAKE}"));
    let mut json: serde_json::Value = serde_json::from_str(SWEEP).unwrap();
    json["collections"] = serde_json::json!([]);
    refused(&json.to_string(), "error: report.json: has no row to draw\n");
    let damaged =
        "{\"tool\": {\"name\": \"pagepress\", \"version\": \"0\"}, \"schema\": 1, \"command\": \"sweep\"}";
    let error = "error: report.json: is damaged: missing field `model` at line 1 column 80\n";
    refused(damaged, &format!("{error}{AGAIN}"));
    let text = SWEEP.replacen("\"documents\": 5000", "\"documents\": \"many\"", 1);
    let (_, answer) = drawn(&text, "");
    let start = "error: report.json: is damaged: invalid type: string \"many\", expected u64 at line ";
    assert!(answer.stderr.starts_with(start), "{}", answer.stderr);
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_nothing_is_left() {
    let case = Case::new("plot report.json --out taken")
        .file("report.json", SWEEP.as_bytes())
        .file("taken", b"mine");
    let answer = case.run();
    let error = "error: taken: cannot write plots there: File exists (os error 17)\n";
    let hint = "\nhint: a file has that name; name a folder, or one that is to be made\n";
    assert_eq!((answer.code, answer.stderr), (2, format!("{error}{hint}")));
    assert_eq!(fs::read(case.path("taken")).unwrap(), b"mine");
    let case =
        Case::new("estimate a.bson -q --plots taken").file("a.bson", &documents(3)).file("taken", b"mine");
    let answer = case.run();
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr), (2, "", format!("{error}{hint}")));
    let below = Case::new("plot report.json --out taken/plots").file("report.json", SWEEP.as_bytes());
    let answer = below.file("taken", b"mine").run();
    let error = "error: taken/plots: cannot write plots there: Not a directory (os error 20)\n";
    assert_eq!((answer.code, answer.stderr), (2, format!("{error}{hint}")));
}

#[test]
fn a_report_that_is_not_there_and_tables_that_are_none_are_told() {
    let answer = Case::new("plot none.json --out plots").run();
    let error = "error: none.json: cannot read: No such file or directory (os error 2)\n";
    assert_eq!((answer.code, answer.stderr.as_str()), (2, error));
    let hint = "\nhint: data/reference has tables of that kind\n";
    for (table, error) in [
        ("codec,ratio\nzstd,1\n", "p.csv: has no column `origin`"),
        (
            "origin,codec,storage_bytes\na,zstd,-3\n",
            "p.csv: line 2: `storage_bytes` is `-3`, not a number above 0",
        ),
    ] {
        let case =
            Case::new("plot report.json --out plots --reference p.csv").file("report.json", SWEEP.as_bytes());
        let answer = case.file("p.csv", table.as_bytes()).run();
        assert_eq!((answer.code, answer.stderr), (2, format!("error: {error}\n{hint}")));
    }
}

#[test]
fn estimate_draws_what_plot_draws_of_its_json() {
    let args = "estimate a.bson -q --no-timing --walk -o json --plots plots";
    let case = Case::new(args).file("a.bson", &documents(3000));
    let answer = case.run();
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let (again, _) = drawn(&answer.stdout, "");
    // The walk and the plots change no figure.
    assert_eq!(files(&case), files(&again));
    assert!(files(&case).iter().any(|(name, _)| name == "a-image-size.svg"));
    let plain = Case::new("estimate a.bson -q --no-timing -o json").file("a.bson", &documents(3000)).run();
    let (mut with, mut without): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(&answer.stdout).unwrap(), serde_json::from_str(&plain.stdout).unwrap());
    for json in [&mut with, &mut without] {
        json["timing"].take();
        for row in json["collections"][0]["storage"].as_array_mut().unwrap() {
            let row = row.as_object_mut().unwrap();
            let walk = row.remove("image_size_walk_bytes");
            assert_eq!(walk.is_some(), row.remove("image_size_walk_pages").is_some());
        }
    }
    assert_eq!(with, without);
}

/// What a browser would fetch or run: nothing but the page's own script.
#[test]
fn a_page_holds_all_it_needs_and_takes_names_for_text() {
    let name = "<script>hacked=1<img src=x>&\"'.json";
    let field = "</script><script>hacked=1</script>\u{2028}";
    let index = serde_json::json!({ "key": { field: 1 }, "name": field }).to_string();
    let document = serde_json::json!({ "_id": 1, field: 1 }).to_string();
    let case = Case::new("estimate -q --no-timing -o html --walk --index").arg(&index).arg(name);
    let answer = case.file(name, document.as_bytes()).run();
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let page = answer.stdout;
    assert!(page.len() <= 1 << 20, "{} bytes", page.len());
    assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img") && !page.contains('\u{2028}'));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside) || outside == "src=" && page.contains("src=x"), "{outside}");
    }
    assert!(page.contains("default-src 'none'") && page.ends_with("</html>\n"));
}

#[test]
fn an_inspection_has_no_page_and_says_so() {
    let answer = Case::new("inspect -o html any.wt").run();
    let error = "error: --output: a page is made of estimates, not of inspections\n\n\
                 hint: take `--output markdown` or `--output table`\n";
    assert_eq!((answer.code, answer.stderr.as_str()), (2, error));
}

/// A page is made of the JSON alone, so a saved sweep has one, with what it advises.
#[test]
fn the_page_of_a_sweep_has_its_advice_and_a_row_for_each_point() {
    let page = pagepress::report::html_page(SWEEP.as_bytes(), &[vec!["a <note>".to_owned()]]).unwrap();
    for part in [
        "<h3>Recommendations</h3>",
        "<td>least storage</td><td>settled</td><td>zstd:19, leaf page 32 KiB</td>",
        "no other point is smaller",
        "<code>db.createCollection(&quot;flights&quot;,",
        ">leaf page</button>",
        "<li>a &lt;note&gt;</li>",
        "Storage against leaf page size",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let points = serde_json::from_str::<serde_json::Value>(SWEEP).unwrap()["collections"][0]["points"]
        .as_array()
        .unwrap()
        .len();
    let (_, table) = page.split_once("Sizes by codec").unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    assert_eq!(table.matches("<tr").count(), 1 + points);
}
