import os
import subprocess
import tempfile


def toc(text, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".md", delete=False) as file:
        file.write(text)
    done = subprocess.run(["node", "/app/toc.mjs", *flags, file.name], capture_output=True, text=True, timeout=10)
    with open(file.name) as after:
        content = after.read()
    os.unlink(file.name)
    return done, content


def lines(text):
    done, _ = toc(text)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n").split("\n")


assert lines("# T\n## Set up\n### The oven\n#### Deep\n##### Deeper\n## Bake\n") == [
    "- [Set up](#set-up)", "  - [The oven](#the-oven)", "    - [Deep](#deep)", "- [Bake](#bake)"]
assert lines("# A\n## A\n## A\n```\n## Code\n```\n~~~\n## More\n~~~\n## B ##\n") == ["- [A](#a-1)", "- [A](#a-2)", "- [B](#b)"]
assert lines("## `make up`, quick!\n## [Link](https://example.org) here\n## Über_uns 2.0\n") == [
    "- [make up, quick!](#make-up-quick)", "- [Link here](#link-here)", "- [Über_uns 2.0](#über_uns-20)"]
start = "# T\n<!-- toc -->\nold\n<!-- /toc -->\n\n## One\n"
done, once = toc(start, "--write")
assert done.returncode == 0 and "old" not in once and "- [One](#one)" in once and once.endswith("\n## One\n"), once
assert toc(once, "--write")[1] == once
done, same = toc("## One\n", "--write")
assert done.returncode == 1 and same == "## One\n" and done.stderr
