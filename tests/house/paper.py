#!/usr/bin/env python3
"""paper.py SOURCE_DIRECTORY: no number in the text of examples/paper/paper.tex is typed by hand. Outside of formulas there
are no digits, in formulas neither decimals nor numbers above nine; every \\N{key} is a line of numbers.tsv, and every
such line is used; every label is referred to."""
import re
import sys
from pathlib import Path

paper = Path(sys.argv[1]) / 'examples/paper'
text = (paper / 'paper.tex').read_text(encoding='utf-8')
keys = [line.split('\t') for line in (paper / 'numbers.tsv').read_text(encoding='utf-8').splitlines()
        if line and not line.startswith('#')]
complaints = []

body = text.split('\\begin{document}')[1].split('\\begin{thebibliography}')[0]
body = re.sub(r'(?<!\\)%.*', '', body)
used = set(re.findall(r'\\N\{([^}]*)\}', body))
plain = re.sub(r'\\(N|cite|ref|eqref|label|input|verbatiminput|includegraphics)(\[[^]]*\])?\{[^}]*\}', ' ', body)
formulas = re.findall(r'\$[^$]*\$|\\begin\{equation\}.*?\\end\{equation\}', plain, flags=re.S)
prose = re.sub(r'\$[^$]*\$|\\begin\{equation\}.*?\\end\{equation\}', ' ', plain, flags=re.S)
complaints += [f'a number in the text: …{prose[max(0, m.start() - 30):m.end() + 10]!r}' for m in re.finditer(r'\d+', prose)]
complaints += [f'a number in a formula: {f}' for f in formulas if re.search(r'\d\.\d|\d\d', f)]

defined = {key for key, form, *_ in keys if form != 'table'}
tables = {key for key, form, *_ in keys if form == 'table'}
complaints += [f'\\N{{{key}}} is no line of numbers.tsv' for key in sorted(used - defined)]
complaints += [f'numbers.tsv: {key} is not used' for key in sorted(defined - used)]
complaints += [f'numbers.tsv: table {key} is not used' for key in sorted(tables) if f'build/table-{key}' not in body]
referred = set(re.findall(r'\\(?:eq)?ref\{([^}]*)\}', body))
complaints += [f'label {label} is not referred to' for label in re.findall(r'\\label\{([^}]*)\}', body) if label not in referred]

print('\n'.join(complaints))
sys.exit(1 if complaints else 0)
