
# Time against n: a line per p, a ring around the best n of each.
if (ends) { legend = "none" }
rows = ends ? 0 : series / 2 + 1
share = 1
do for [format in formats] {
    eval begin(format)
    eval frame(height, rows, longest)
    if (ends) { set rmargin at screen name_edge(longest) - across(0.35) }
    eval x_axis
    eval y_axis
    if (ends) { eval place_names(2.8 * line(height), 1 - below_key(rows, longest) * line(height), height) }
    if (ends) { set key at screen 0.98,1-(head+0.2)*line(height) right top horizontal maxcols 1 width 0 samplen 1 }
    plot for [i = 1:banded(series)] data index i-1 using 2:($5*unit):($6*unit) with filledcurves lt i fs transparent solid 0.15 noborder, \
         for [i = 1:barred(series)] data index i-1 using 2:($3*unit):($5*unit):($6*unit) with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using 2:($3*unit) with linespoints lt i title ends ? "" : show(titles[i]), \
         data using ($4 == 1 ? $2 : NaN):($3*unit) with points pt 6 ps 1*dot lw 1.2 lc rgb "#000000" title "best n"
    unset label
    unset arrow
    unset output
}
