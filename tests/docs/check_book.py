#!/usr/bin/env python3
"""The pages hold together: labels, citations, links, glossary.

    check_book.py SOURCE_FOLDER

- A label (K-7) is defined once in the book: at the end or the beginning of an equation (an indented or fenced line), or in
  bold in the text, **(K-7)**. A letter belongs to one page.
- Every label that a page or a comment of the code cites is defined.
- README links every page of docs/, and every link of a page leads to a file.
- Every name in the glossary's column "in the code" is in the code, and every house word that the code's names use has a line there.
"""
import collections
import pathlib
import re
import sys

LABEL = r"[A-Z]-\d+[a-z]?"
PAGES_WITHOUT_LINK = {"docs/theory/README.md"}
# Words that mean something of their own in this code: whoever meets one looks it up.
HOUSE_WORDS = ["busy", "sweep", "momentum", "bundle", "lane", "kick", "colour", "island", "census", "plan", "grain", "place", "core"]


def pages(source):
    return [source / "README.md", source / "CONTRIBUTING.md", source / "CHANGELOG.md", *sorted((source / "docs").rglob("*.md"))]


def definitions(path):
    """(label, line number) of each label that a page defines."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        for match in re.finditer(rf"\*\*\(({LABEL})\)\*\*", line):
            yield match.group(1), number
        if fenced or line.startswith("    "):
            equation = re.search(rf"\(({LABEL})\)\s*$", line) or re.match(rf"\s*\(({LABEL})\)\s\s", line)
            if equation:
                yield equation.group(1), number


def check_labels(source, problems):
    defined = collections.defaultdict(list)
    for path in sorted((source / "docs").rglob("*.md")):
        for label, number in definitions(path):
            defined[label].append(f"{path.relative_to(source)}:{number}")
    homes = collections.defaultdict(set)
    for label, places in defined.items():
        homes[label[0]].update(place.split(":")[0] for place in places)
        if len(places) > 1:
            problems.append(f"{label} is defined more than once: {', '.join(places)}")
    for letter, found in homes.items():
        if len(found) > 1:
            problems.append(f"labels {letter}-n are defined on several pages: {', '.join(sorted(found))}")
    citation = re.compile(rf"(?<![\w-])([{''.join(sorted(homes))}]-\d+[a-z]?)(?![\w-])")
    comment = re.compile(r"//.*|/\*.*?\*/")
    sources = [p for e in ("hpp", "cpp", "inc") for p in (source / "msd").rglob(f"*.{e}")]
    for path in sorted((source / "docs").rglob("*.md")) + sorted(sources):
        is_page = path.suffix == ".md"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for text in [line] if is_page else comment.findall(line):
                for label in citation.findall(text):
                    if label not in defined:
                        problems.append(f"{path.relative_to(source)}:{number}: {label} is defined on no page")
    return len(defined)


def check_links(source, problems):
    linked = set()
    for path in pages(source):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            place = (path.parent / target).resolve()
            if not place.exists():
                problems.append(f"{path.relative_to(source)}: the link to {target} leads nowhere")
            elif path.name == "README.md" and path.parent == source:
                linked.add(place)
    for path in sorted((source / "docs").rglob("*.md")):
        if path.resolve() not in linked and str(path.relative_to(source)) not in PAGES_WITHOUT_LINK:
            problems.append(f"README.md does not link {path.relative_to(source)}")


def check_glossary(source, problems):
    path = source / "docs/glossary.md"
    code = "\n".join(p.read_text() for p in sorted((source / "msd/msd-sim/src").rglob("*")) if p.suffix in {".hpp", ".cpp", ".inc"})
    names = set(re.findall(r"[A-Za-z_]\w*", code))
    words = set()
    for line in path.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 4 or cells[0] in {"word", "---"}:
            continue
        words.update(re.findall(r"[a-z]+", cells[0].lower()))
        for name in re.findall(r"`([^`]+)`", cells[3]):
            for part in re.findall(r"[A-Za-z_]\w*", name):
                if part not in names:
                    problems.append(f"docs/glossary.md: {name} is not in the code")
    parts = {part.lower() for name in names for part in re.findall(r"[A-Z]?[a-z]+", name)}
    for word in HOUSE_WORDS:
        if any(part.startswith(word) for part in parts) and not any(w.startswith(word) or word.startswith(w) for w in words if len(w) > 3):
            problems.append(f"docs/glossary.md has no line for \"{word}\", which names in the code use")


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    problems = []
    labels = check_labels(source, problems)
    check_links(source, problems)
    check_glossary(source, problems)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{labels} labels, each defined once; every citation and link leads somewhere")


if __name__ == "__main__":
    main()
