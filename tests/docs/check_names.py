#!/usr/bin/env python3
"""Checks docs/design-documents.md: every name in its tables stands in the file that its row gives.

A row has cells `name` | `file` | ...; a name may be qualified (Class::member) and several may stand in one
cell. Each is looked for as a word, without its qualification, in the file; a test's name likewise. A row whose file cell is
"none" says that a thing is gone on purpose: then its name must not be a class, struct or file of the source.
"""
import pathlib
import re
import sys


def words_of(cell):
    return re.findall(r"`([^`]+)`", cell)


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs" / "design-documents.md").read_text()
    sources = {p.relative_to(root).as_posix(): p for p in (root / "msd").rglob("*.[ch]pp")}
    everything = None
    wrong, checked = [], 0
    for number, line in enumerate(page.splitlines(), 1):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) < 3 or not words_of(cells[0]):
            continue
        for name_cell, file_cell in ((cells[0], cells[1]), (cells[2], cells[2])):
            files = [w for w in words_of(file_cell) if re.search(r"\.(hpp|cpp|md|json|txt)$", w)]
            names = [w for w in words_of(name_cell) if w not in files]
            if file_cell == "none":
                everything = everything or "\n".join(p.read_text() for p in sources.values())
                for name in names:
                    checked += 1
                    if re.search(r"\b(class|struct|namespace) %s\b" % re.escape(name), everything):
                        wrong.append("line %d: %s exists, the page says it is gone" % (number, name))
                continue
            texts = []
            for file in files:
                if not (root / file).is_file():
                    wrong.append("line %d: no file %s" % (number, file))
                else:
                    texts.append((root / file).read_text())
            if not files:
                continue
            for name in names:
                checked += 1
                word = re.split(r"[(\s]", name.split("::")[-1])[0]
                if not any(re.search(r"\b%s\b" % re.escape(word), text) for text in texts):
                    wrong.append("line %d: %s does not stand in %s" % (number, word, ", ".join(files)))
    for message in wrong:
        print(message)
    print("%d names checked, %d wrong" % (checked, len(wrong)))
    return 1 if wrong or checked < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
