
# Time against m, a line per algorithm; below, the speed-up of the first, which is the one in focus,
# over the best of the others.
if (ends) { legend = "none" }
height = fit((speedup_panel ? 9 : 6.6) - 1 * ends + (!ends && columns(longest) == 1 ? 0.18 * (series + bounded) : 0))
rows = ends ? 0 : key_rows(series + bounded, longest)
do for [format in formats] {
    eval begin(format)
    eval frame(height, rows, longest)
    if (ends) { set rmargin at screen name_edge(longest) - across(0.35) }
    eval x_axis
    eval y_axis
    bottom = speedup_panel ? panels_meet(height, rows, longest) : 2.8 * line(height)
    if (ends) { eval place_names(bottom, 1 - below_key(rows, longest) * line(height), height) }
    if (speedup_panel) {
        set multiplot
        set bmargin at screen bottom
        set xlabel ""
        unset xtics
    }
    plot for [i = 1:banded(series)] data index i-1 using ($2*share):($7*unit):($8*unit) with filledcurves lt styles[i] fs transparent solid 0.15 noborder, \
         for [i = 1:barred(series)] data index i-1 using ($2*share):($4*unit):($7*unit):($8*unit) with yerrorbars lt styles[i] dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using ($2*share):($4*unit) with linespoints lt styles[i] title show(titles[i]), \
         for [i = 1:bounded] data index series using ($2*share):($4*unit) with lines lc rgb "#888888" lw 1 dt 2 title "bound"
    if (speedup_panel) {
        unset label
        unset arrow
        set tmargin at screen bottom - 0.03
        set bmargin at screen 2.8 * line(height)
        eval x_axis
        eval speedup_axis
        even = log(1 / speedup_low) / log(speedup_high / speedup_low) # where 1 is, a share of the panel
        if (even < 0.8) { set label 11 show("faster") at graph 0.02,0.92 left tc rgb "#666666" }
        if (even > 0.25) { set label 12 show("slower") at graph 0.02,0.1 left tc rgb "#666666" }
        plot for [i = 1:focused == 1] data index i-1 using ($2*share):6 with filledcurves y=1 lt styles[i] fs transparent solid 0.2 noborder, \
             1 with lines lc rgb "#444444" lw 1 dt 1, \
             for [i = 1:focused] data index i-1 using ($2*share):6 with linespoints lt styles[i]
        unset label
        unset multiplot
    }
    unset label
    unset arrow
    unset output
}
