#!/usr/bin/env python3
"""Writes build/numbers.tex, one macro for each line of numbers.tsv, and the tables, from what the Makefile made.

All results are tables of one SQLite database in memory: `points` (of all sweeps; the column `experiment` says which),
the view `best` (the least time over n), and each CSV file under its own name. A line of numbers.tsv is KEY, FORMAT,
QUERY, separated by tabs. A query of the format `table` gives rows of three columns: row, column, cell.
"""
import csv
import math
import re
import sqlite3
import sys
from pathlib import Path

import postal

here = Path(__file__).parent
build = here / 'build'


def load():
    """The database of all results."""
    data = sqlite3.connect(':memory:')
    for number, path in enumerate(sorted(build.glob('*.db'))):
        data.execute(f"ATTACH '{path}' AS d")
        make = 'CREATE TABLE points AS' if number == 0 else 'INSERT INTO points'
        data.execute(f"{make} SELECT '{path.stem}' AS experiment, * FROM d.points WHERE status = 'done'")
        data.commit()
        data.execute('DETACH d')
    data.execute('CREATE VIEW best AS SELECT *, min(time_s) AS t FROM points GROUP BY experiment, collective, '
                 'algorithm, platform, placement, p, ppn, m_bytes, ports, engine')
    for path in (path for path in build.glob('*.csv') if not path.with_suffix('.db').exists()):
        with open(path, newline='', encoding='utf-8') as file:
            rows = list(csv.reader(file))
        names = ', '.join(f'"{name}" NUMERIC' for name in rows[0])
        data.execute(f'CREATE TABLE "{path.stem}" ({names})')
        marks = ', '.join('?' * len(rows[0]))
        data.executemany(f'INSERT INTO "{path.stem}" VALUES ({marks})', rows[1:])
    data.execute('CREATE TABLE constants (k INTEGER, F, B, G)')  # of docs/groups.md, whose table a test compares with the program
    for line in (here / '../../docs/groups.md').read_text(encoding='utf-8').splitlines():
        if re.fullmatch(r'(\| \d+ ){8}\|', line):
            data.execute('INSERT INTO constants VALUES (?, ?, ?, ?)', re.findall(r'\d+', line)[:4])
    data.execute('CREATE VIEW long_forecast AS SELECT *, max(bytes) FROM forecast GROUP BY system, nodes, ranks_per_node')
    return data


def significant(value, digits=3):
    """With so many significant digits, and no exponent."""
    text = f'{value:.{digits}g}'
    return f'{float(text):.0f}' if 'e' in text else text


def time(seconds):
    """Seconds, in the unit that suits."""
    for unit, scale in ((r'\,s', 1), (r'\,ms', 1e3), (r'\,\textmu s', 1e6), (r'\,ns', 1e9)):
        if seconds * scale >= 0.9995:
            break
    return significant(seconds * scale) + unit


def size(count):
    """Bytes, by powers of 1024."""
    for unit in ('bytes', 'KiB', 'MiB', 'GiB'):
        if count < 1024:
            break
        count /= 1024
    return f'{count:g}\\,{unit}'


def percent(share):
    """A share that may be tiny."""
    return '0\\,\\%' if share == 0 else f'{significant(100 * share, 2)}\\,\\%' if share >= 1e-4 else 'below 0.01\\,\\%'


def difference(share):
    """A tiny share, as the power of ten that it is below."""
    return 'nothing' if share == 0 else f'less than $10^{{{math.floor(math.log10(share)) + 1}}}$ of the time'


formats = {
    'integer': lambda value: f'{int(value):,}'.replace(',', r'\,'),
    'ratio': lambda value: f'{value:.2f}',
    'time': time,
    'us': lambda value: significant(value * 1e6) if value < 1e-3 else f'{value * 1e6:.0f}',
    'ms': lambda value: significant(value * 1e3),
    'size': size,
    'percent': percent,
    'difference': difference,
    'bandwidth': lambda value: f'{value / 1e9:g}\\,GB/s',
    'text': str,
}


def escape(text):
    """A name as LaTeX prints it."""
    return text if '\\' in text or '$' in text else text.replace('_', r'\_').replace('%', r'\%')


def heading(text):
    """A column's name, on a line for each of its parts."""
    return '\\shortstack[r]{' + ' \\\\ '.join(map(escape, text.split(', '))) + '}'


def table(rows):
    """LaTeX of a table: rows and columns in the order of their first cells."""
    if not rows:
        raise ValueError('no rows')
    lines = list(dict.fromkeys(str(row) for row, _, _ in rows))
    columns = list(dict.fromkeys(str(column) for _, column, _ in rows))
    cells = {(str(row), str(column)): cell for row, column, cell in rows}
    text = [r'\footnotesize\setlength{\tabcolsep}{2.5pt}\begin{tabular}{l' + 'r' * len(columns) + '}', '\\toprule',
            ' & ' + ' & '.join(map(heading, columns)) + ' \\\\ \\midrule']
    for line in lines:
        text.append(escape(line) + ' & ' + ' & '.join(str(cells.get((line, column), '--')) for column in columns) + ' \\\\')
    return '\n'.join(text + ['\\bottomrule', '\\end{tabular}', ''])


def main():
    data = load()
    for name, function in formats.items():
        data.create_function(name, 1, lambda value, f=function: None if value is None else f(value))
    data.create_function('postal_above', 1, postal.above)
    data.create_function('log2_ceiling', 1, lambda p: (p - 1).bit_length())
    lines = ['\\newcommand{\\N}[1]{\\ifcsname N:#1\\endcsname\\csname N:#1\\endcsname'
             '\\else\\errmessage{no number is called #1}\\fi}']
    for number, line in enumerate((here / 'numbers.tsv').read_text(encoding='utf-8').splitlines(), 1):
        if not line or line.startswith('#'):
            continue
        key, form, query = re.split(r'\t+', line, maxsplit=2)
        try:
            if form == 'table':
                (build / f'table-{key}.tex').write_text(table(data.execute(query).fetchall()), encoding='utf-8')
                continue
            if form == 'page':
                page, pattern = query.split(' ', 1)
                value, form = re.search(pattern, (here / page).read_text(encoding='utf-8'))[1], 'text'
            else:
                value = data.execute(query).fetchone()[0]
            lines.append(f'\\expandafter\\def\\csname N:{key}\\endcsname{{{formats[form](value)}}}')
        except (sqlite3.Error, ValueError, TypeError) as error:
            sys.exit(f'numbers.tsv:{number}: {key}: {error or "no such result"}')
    (build / 'numbers.tex').write_text('\n'.join(lines) + '\n', encoding='utf-8')


main()
