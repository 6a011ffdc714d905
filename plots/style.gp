
# The look that all figures share. A script's head may set, before this: width, asked_height, letter,
# title_text, asked_x, asked_y, notes, legend, series_colours, grey, spread; these are what is not asked for.
set encoding utf8
if (!exists("width")) { width = 8.5 } # cm: a column of a two-column paper
if (!exists("asked_height")) { asked_height = 0 } # cm; 0: what suits the figure
if (!exists("letter")) { letter = 8 } # points
if (!exists("title_text")) { title_text = "" }
if (!exists("asked_x")) { asked_x = "" } # labels of the axes
if (!exists("asked_y")) { asked_y = "" }
if (!exists("notes")) { notes = 1 } # the two grey lines
if (!exists("unit")) { unit = 1 } # of seconds on a y axis
do for [i = 1:16] { styles[i] = i; end_x[i] = NaN; end_y[i] = NaN } # line types, and where curves end
ends = 0 # 1: names at the ends of curves instead of a key
if (!exists("legend")) { legend = "top" } # or none, or a corner: top-left, ..., bottom-right
if (!exists("spread")) { spread = "bars" } # or band, none
if (!exists("spreads")) { spreads = 0 } # 1: the data have any
# Colours that people with any colour vision tell apart (Okabe and Ito), each with its own dashes
# and point, so that it also works in grey.
coloured = exists("series_colours") # they are asked for
rgb(c) = int("0x".c[2:*]) # "#rrggbb"
if (!exists("series_colours")) { series_colours = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #000000 #666666 #882255 #117733" }
# Of pictures that are drawn by hand: bars, what stands out, and the pale forms of both.
if (!exists("grey")) { grey = 0 }
bar_colour = grey ? "#808080" : "#21918c"
alarm_colour = grey ? "#000000" : "#d55e00"
pale_alarm = grey ? "#eeeeee" : "#fde0cd"
fit(natural) = asked_height > 0 ? asked_height : natural
height = fit(6.6)

# The factors make 8 points of "8" in each terminal: pdfcairo counts in 4/3 of a dot, at 1.5 of them;
# pngcairo in dots of 1/96 inch, of which there are 300 here.
dots = 300 / 96.0
heavy = letter / 8.0
pdf(height) = sprintf("pdfcairo noenhanced color size %.9gcm,%gcm font 'Sans,%g' fontscale 0.75 linewidth %g pointscale %g", \
    width, height, letter, 1.5 * heavy, 1.3 * heavy)
png(height) = sprintf("pngcairo noenhanced color size %d,%d font 'Sans,%g' fontscale %g linewidth %g pointscale %g", \
    width / 2.54 * 300 + 0.5, height / 2.54 * 300, letter, dots, dots * heavy, dots * heavy)
svg(height) = sprintf("svg noenhanced size %d,%d font 'Sans,%g' linewidth %g", width / 2.54 * 96, height / 2.54 * 96, \
    letter == 8 ? 10.7 : letter * 4 / 3.0, heavy)
# In these two LaTeX sets the texts, in the document's font.
font_size = sprintf('\fontsize{%g}{%g}\selectfont', letter, 1.2 * letter)
tikz(height) = sprintf("tikz latex color size %.9gcm,%gcm charsize %gcm,%gcm font '%s' linewidth %g", \
    width, height, 0.0195 * letter, 0.038 * letter, font_size, heavy)
cairolatex(height) = sprintf("cairolatex pdf input colourtext color size %.9gcm,%gcm font ',%g' header '%s' linewidth %g pointscale %g", \
    width, height, letter, font_size, 1.5 * heavy, 1.3 * heavy)
# Lines are higher in svg: with the same offset its label would be below the picture, and left out.
terminal(format) = (format eq "pdf" ? pdf(height) : format eq "png" ? png(height) : format eq "svg" ? svg(height) : \
    format eq "tikz" ? tikz(height) : cairolatex(height)) \
    .sprintf("; set xlabel offset 0,%g; set ylabel offset %g,0", format eq "svg" ? 0.8 : 0.3, format eq "tikz" ? -0.8 : 0.5)
file(format) = name.(format eq "tikz" ? "-tikz.tex" : format eq "cairolatex" ? "-cairo.tex" : ".".format)
# For eval, at the beginning of each picture. Labels of colour boxes are `beside` the numbers. An entry of the key
# is to count as `entry` letters (see frame). Points are `dot` times as large, because tikz draws small ones.
begin(format) = sprintf("latex = %d; dots_high = %g; bold = \"%s\"; dot = %g; beside = %g; entry = %d; set pointsize 0.45 * dot; set output; set terminal %s; set output file(format)", \
    format eq "tikz" || format eq "cairolatex", format eq "svg" ? 10.7 / 8 : 1, format eq "svg" ? "" : ":Bold", format eq "tikz" ? 2 : 1, format eq "tikz" ? 1.8 : format eq "cairolatex" ? 1 : 0.3, \
    format eq "svg" ? 8 : 12, terminal(format))

# A font of so many times the usual size; svg counts in dots, and has no bold letters by name.
sans(style, size) = sprintf("Sans%s,%g", style, size * letter * dots_high)

# All texts in pictures go through show(), or for ticks through tick(): then LaTeX, like gnuplot, sets
# exactly these letters and obeys none. Letters beyond ASCII that
# pdflatex and its first fonts lack become mathematics.
latex = 0
greek(c) = c eq "α" ? 'alpha' : c eq "β" ? 'beta' : c eq "γ" ? 'gamma' : c eq "δ" ? 'delta' : c eq "ε" ? 'epsilon' : \
    c eq "ζ" ? 'zeta' : c eq "η" ? 'eta' : c eq "θ" ? 'theta' : c eq "ι" ? 'iota' : c eq "κ" ? 'kappa' : c eq "λ" ? 'lambda' : \
    c eq "μ" || c eq "µ" ? 'mu' : c eq "ν" ? 'nu' : c eq "ξ" ? 'xi' : c eq "π" ? 'pi' : c eq "ρ" ? 'rho' : c eq "σ" ? 'sigma' : \
    c eq "ς" ? 'varsigma' : c eq "τ" ? 'tau' : c eq "υ" ? 'upsilon' : c eq "φ" ? 'varphi' : c eq "χ" ? 'chi' : \
    c eq "ψ" ? 'psi' : c eq "ω" ? 'omega' : c eq "Γ" ? 'Gamma' : c eq "Δ" ? 'Delta' : c eq "Θ" ? 'Theta' : \
    c eq "Λ" ? 'Lambda' : c eq "Ξ" ? 'Xi' : c eq "Π" ? 'Pi' : c eq "Σ" ? 'Sigma' : c eq "Φ" ? 'Phi' : c eq "Ψ" ? 'Psi' : \
    c eq "Ω" ? 'Omega' : c eq "×" ? 'times' : c eq "±" ? 'pm' : c eq "·" ? 'cdot' : c eq "²" ? "{}^2" : c eq "³" ? "{}^3" : \
    c eq "≤" ? 'le' : c eq "≥" ? 'ge' : c eq "≠" ? 'ne' : c eq "≈" ? 'approx' : c eq "→" ? 'to' : \
    c eq "←" ? 'leftarrow' : c eq "∞" ? 'infty' : c eq "√" ? 'surd' : c eq "∈" ? 'in' : c eq "⌈" ? 'lceil' : \
    c eq "⌉" ? 'rceil' : c eq "⌊" ? 'lfloor' : c eq "⌋" ? 'rfloor' : c eq "−" ? "{}-" : c eq "∑" ? 'sum' : ''
ascii(c) = c eq '\' ? '\textbackslash{}' : c eq '{' ? '\{' : c eq '}' ? '\}' : c eq '$' ? '\$' : c eq '&' ? '\&' : \
    c eq '#' ? '\#' : c eq '%' ? '\%' : c eq '_' ? '\_' : c eq '^' ? '\textasciicircum{}' : c eq '~' ? '\textasciitilde{}' : \
    c eq '<' ? '\textless{}' : c eq '>' ? '\textgreater{}' : c eq '|' ? '\textbar{}' : c eq '"' ? '{\char34}' : \
    c eq '`' ? '\`{}' : c eq '[' ? '\lbrack{}' : c eq ']' ? '\rbrack{}' : c
signed(word) = word[1:1] eq '{' ? '$'.word.'$' : '$\'.word.'$'
texed(c) = strlen(greek(c)) == 0 ? ascii(c) : signed(greek(c))
tex(s) = strlen(s) == 0 ? '' : strlen(s) == 1 ? texed(s) : tex(s[1:strlen(s)/2]).tex(s[strlen(s)/2+1:strlen(s)])
show(s) = latex ? tex(s) : s
x_text(text) = asked_x eq "" ? text : asked_x
y_text(text) = asked_y eq "" ? text : asked_y
# gnuplot takes a tick's text for a format.
doubled(s) = strlen(s) == 0 ? '' : strlen(s) == 1 ? (s eq '%' ? '%%' : s) : doubled(s[1:strlen(s)/2]).doubled(s[strlen(s)/2+1:strlen(s)])
tick(s) = doubled(show(s))
# An axis whose neighbour has the numbers: set `hidden` while it is evaluated.
hidden = 0
seen(s) = hidden ? "" : show(s)
numbers(axis) = sprintf("set format %s%s", axis, hidden ? ' ""' : "")

do for [i = 1:10] { set linetype i lc rgb word(series_colours, (i - 1) % words(series_colours) + 1) }
set linetype 1 dt 1 pt 7 lw 1.4
set linetype 2 dt (12,4) pt 5 lw 1.4
set linetype 3 dt (3,3) pt 9 lw 1.4
set linetype 4 dt (12,3,3,3) pt 13 lw 1.4
set linetype 5 dt (12,3,3,3,3,3) pt 11 lw 1.4
set linetype 6 dt (6,3) pt 4 lw 1.4
set linetype 7 dt (2,4) pt 6 lw 1.4
set linetype 8 dt (6,2,2,2) pt 8 lw 1.4
set linetype 9 dt (16,4) pt 12 lw 1.4
set linetype 10 dt (4,2) pt 10 lw 1.4
# Light is good; the colours (viridis) also darken in grey.
good_palette = grey ? "set palette defined (0 '#f4f4f4', 1 '#000000')" : \
    "set palette defined (0 '#fde725', 0.13 '#addc30', 0.25 '#5ec962', 0.38 '#28ae80', 0.5 '#21918c', " \
    ."0.63 '#2c728e', 0.75 '#3b528b', 0.88 '#472d7b', 1 '#440154')"
rising_palette = grey ? "set palette defined (0 '#404040', 1 '#e0e0e0')" : \
    "set palette defined (0 '#440154', 0.12 '#472d7b', 0.25 '#3b528b', 0.37 '#2c728e', 0.5 '#21918c', " \
    ."0.62 '#28ae80', 0.75 '#5ec962', 0.87 '#addc30', 1 '#fde725')"
# How full or busy: dark is full.
full_palette = grey ? "set palette defined (0 '#ffffff', 1 '#000000')" : \
    "set palette defined (0 '#ffffff', 0.5 '#8fbcd9', 1 '#0b4f7d')"

set border 3 lc rgb "#444444" lw 0.8
set tics nomirror out scale 0.6
set grid xtics ytics lc rgb "#dddddd" lw 0.6 dt 1
set key noautotitle Left reverse samplen 2.5 maxcols 2
# A length across the picture, in cm for letters of 8 points, as a share of its width.
across(cm) = cm * letter / 8 / width
left = across(width > 8.5 ? 1.7 : 1.4025)
set lmargin at screen left
set rmargin at screen 1 - across(0.3825)
beside_colours = 1 - across(1.87) # the right margin if there is a colour box

# For eval: the margins of a picture `height` cm high with the title and labels and so many lines of key at
# its top, whose longest title has so many letters. gnuplot thinks letters wider than they are and would
# put long titles into one column: they are to count as 12 letters, or fewer in svg, whose letters count more. So we must say when one column is right;
# it takes twice the lines.
line(height) = 0.045 * letter / height
larger(a, b) = a > b ? a : b
columns(longest) = longest > 18 * width * 8 / letter / 8.5 ? 1 : 2
head = (title_text eq "" ? 0 : 1.3) + (notes ? 2 : 0) # lines over the key
key_lines(lines) = legend eq "top" ? lines : 0
below_key(lines, longest) = head + 1 + key_lines(lines) * 2 / columns(longest)
# Lines of a key with so many entries, as two columns of it would have; half a line if one column has an odd number.
key_rows(entries, longest) = columns(longest) == 1 ? entries / 2.0 : (entries + 1) / 2
corner(legend) = sprintf("set key inside %s %s vertical width 0 maxcols 1", \
    legend[1:3] eq "top" ? "top" : "bottom", strstrt(legend, "left") > 0 ? "left" : "right")
frame(height, lines, longest) = (title_text eq "" ? "" : \
        sprintf("set label 4 show(title_text) at screen 0.5,%g center font '%s'; ", 1 - 0.8 * line(height), latex ? "" : sans(bold, 1))) \
    .(notes ? sprintf("set label 1 show(label1) at screen 0.02,%g left tc rgb '#666666'; ", 1 - (head - 1.3) * line(height)) \
    .sprintf("set label 2 show(label2) at screen 0.02,%g left tc rgb '#666666'; ", 1 - (head - 0.3) * line(height)) : "") \
    .(legend eq "none" ? "unset key; " : legend ne "top" ? corner(legend)."; " : \
        sprintf("set key at screen 0.5,%g center top horizontal width %d maxcols %d; ", 1 - (head + 0.4) * line(height), entry - larger(entry, longest), columns(longest))) \
    .sprintf("set tmargin at screen %g; set bmargin at screen %g", 1 - below_key(lines, longest) * line(height), 2.8 * line(height))

# Names at the ends of curves: each at its curve's height, a share of the panel, but apart from its neighbours; a thin
# line leads to it. For eval, once the axes are set: of a panel from `low` to `high`, shares of the height.
array place[16]
name_edge(longest) = 1 - across(0.14 * longest + 0.3)
name_of(i) = i > series ? "bound" : titles[i]
hue_of(i) = i > series ? 0x666666 : rgb(word(series_colours, (styles[i] - 1) % words(series_colours) + 1))
share_of_axis(y) = y_log ? log(y / y_low) / log(y_high / y_low) : (y - y_low) / (y_high - y_low)
part(i, k) = (place[i] > place[k] || (place[i] == place[k] && i < k)) && place[i] - place[k] < apart
is_below(i, k) = place[i] < place[k] || (place[i] == place[k] && i < k)
array from_below[16]
place_names(low, high, height) = sprintf("apart = %g; ", line(height) / (high - low)) \
    ."do for [i = 1:named] { place[i] = share_of_axis(end_y[i] * unit) }; " \
    ."do for [round = 1:40] { do for [i = 1:named] { do for [k = 1:named] { if (i != k && part(i, k)) { " \
    ."middle = (place[i] + place[k]) / 2; place[i] = middle + 0.5 * apart; place[k] = middle - 0.5 * apart } } } }; " \
    ."do for [i = 1:named] { from_below[1 + (sum [k = 1:named] is_below(k, i))] = i }; " \
    ."do for [i = 1:named] { place[from_below[i]] = larger(place[from_below[i]], i == 1 ? 0 : place[from_below[i-1]] + apart) }; " \
    ."do for [i = named:1:-1] { place[from_below[i]] = -larger(-place[from_below[i]], i == named ? -1 : apart - place[from_below[i+1]]) }; " \
    ."do for [i = 1:named] { set label 20+i show(name_of(i)) at screen name_edge(longest), graph place[i] left tc rgb hue_of(i); " \
    ."set arrow 20+i from first end_x[i] * share, first end_y[i] * unit to screen name_edge(longest) - across(0.07), graph place[i] nohead lw 0.5 lc rgb hue_of(i) }"

# Bars or bands for the spread of times: how many series have them.
barred(series) = spreads && spread eq "bars" ? series : 0
banded(series) = spreads && spread eq "band" ? series : 0

# The distance of ticks from 0 to `end` that leaves room for numbers of three or four digits: 1, 2 or 5
# times a power of ten, six ticks or less.
power(x) = 10**floor(log10(x))
tick_step(end) = power(end/6.0) * (end/6.0 <= power(end/6.0) ? 1 : end/6.0 <= 2*power(end/6.0) ? 2 : end/6.0 <= 5*power(end/6.0) ? 5 : 10)
# The least of 1, 2, 5, 10, ... that is not less than x: of so many rows one has a number.
row_number(x) = x <= 1 ? 1 : power(x) * (x <= power(x) ? 1 : x <= 2*power(x) ? 2 : x <= 5*power(x) ? 5 : 10)

# Where the upper of two panels ends, and the lower one begins 0.03 below: their share of a wanted height.
panels_meet(height, lines, longest) = asked_height > 0 ? \
    2.8 * line(height) + 0.42 * (1 - (below_key(lines, longest) + 2.8) * line(height)) : 0.38
