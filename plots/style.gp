
# The look that all figures share: a column of a two-column paper is 8.5 cm wide; letters of 8 pt.
set encoding utf8
height = 6.6
# The factors make 8 points of "8" in each terminal: pdfcairo counts in 4/3 of a dot, at 1.5 of them;
# pngcairo in dots of 1/96 inch, of which there are 300 here.
dots = 300 / 96.0
pdf(height) = sprintf("pdfcairo noenhanced color size 8.5cm,%gcm font 'Sans,8' fontscale 0.75 linewidth 1.5 pointscale 1.3", height)
png(height) = sprintf("pngcairo noenhanced color size 1004,%d font 'Sans,8' fontscale %g linewidth %g pointscale %g", \
    height / 2.54 * 300, dots, dots, dots)
svg(height) = sprintf("svg noenhanced size 321,%d font 'Sans,10.7'", height / 2.54 * 96)
# Lines are higher in svg: with the same offset its label would be below the picture, and left out.
terminal(format) = (format eq "pdf" ? pdf(height) : format eq "png" ? png(height) : svg(height)) \
    .sprintf("; set xlabel offset 0,%g", format eq "svg" ? 1 : 0.3)

# Colours that people with any colour vision tell apart (Okabe and Ito), each with its own dashes
# and point, so that it also works in grey.
set linetype 1 lc rgb "#0072b2" dt 1 pt 7 lw 1.4
set linetype 2 lc rgb "#d55e00" dt (12,4) pt 5 lw 1.4
set linetype 3 lc rgb "#009e73" dt (3,3) pt 9 lw 1.4
set linetype 4 lc rgb "#cc79a7" dt (12,3,3,3) pt 13 lw 1.4
set linetype 5 lc rgb "#56b4e9" dt (12,3,3,3,3,3) pt 11 lw 1.4
set linetype 6 lc rgb "#e69f00" dt (6,3) pt 4 lw 1.4
set linetype 7 lc rgb "#000000" dt (2,4) pt 6 lw 1.4
set linetype 8 lc rgb "#666666" dt (6,2,2,2) pt 8 lw 1.4
set linetype 9 lc rgb "#882255" dt (16,4) pt 12 lw 1.4
set linetype 10 lc rgb "#117733" dt (4,2) pt 10 lw 1.4
set pointsize 0.45

set border 3 lc rgb "#444444" lw 0.8
set tics nomirror out scale 0.6
set grid xtics ytics lc rgb "#dddddd" lw 0.6 dt 1
set key noautotitle Left reverse samplen 2.5 maxcols 2
set ylabel offset 0.5,0
set lmargin at screen 0.165
set rmargin at screen 0.955

# For eval: the margins of a picture `height` cm high with the labels and so many lines of key at its
# top, whose longest title has so many letters. gnuplot thinks letters wider than they are and would put
# long titles into one column: they are to count as 12 letters. So we must say when one column is right;
# it takes twice the lines.
line(height) = 0.36 / height
larger(a, b) = a > b ? a : b
columns(longest) = longest > 18 ? 1 : 2
frame(height, lines, longest) = sprintf("set label 1 label1 at screen 0.02,%g left tc rgb '#666666'; ", 1 - 0.7 * line(height)) \
    .sprintf("set label 2 label2 at screen 0.02,%g left tc rgb '#666666'; ", 1 - 1.7 * line(height)) \
    .sprintf("set key at screen 0.5,%g center top horizontal width %d maxcols %d; ", 1 - 2.4 * line(height), 12 - larger(12, longest), columns(longest)) \
    .sprintf("set tmargin at screen %g; set bmargin at screen %g", 1 - (3 + lines * 2 / columns(longest)) * line(height), 2.8 * line(height))

# The distance of ticks from 0 to `end` that leaves room for numbers of three or four digits: 1, 2 or 5
# times a power of ten, six ticks or less.
power(x) = 10**floor(log10(x))
tick_step(end) = power(end/6.0) * (end/6.0 <= power(end/6.0) ? 1 : end/6.0 <= 2*power(end/6.0) ? 2 : end/6.0 <= 5*power(end/6.0) ? 5 : 10)

