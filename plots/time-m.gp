
# Time against m, a line per algorithm; below, the speed-up of the first, which is the one in focus,
# over the best of the others.
height = fit((speedup_panel ? 9 : 6.6) + (columns(longest) == 1 ? 0.18 * (series + bounded) : 0))
do for [format in formats] {
    eval begin(format)
    eval frame(height, key_rows(series + bounded, longest), longest)
    eval x_axis
    eval y_axis
    if (speedup_panel) {
        set multiplot
        set bmargin at screen panels_meet(height, key_rows(series + bounded, longest), longest)
        set xlabel ""
        unset xtics
    }
    plot for [i = 1:banded(series)] data index i-1 using ($2*share):($7*unit):($8*unit) with filledcurves lt i fs transparent solid 0.15 noborder, \
         for [i = 1:barred(series)] data index i-1 using ($2*share):($4*unit):($7*unit):($8*unit) with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using ($2*share):($4*unit) with linespoints lt i title show(titles[i]), \
         for [i = 1:bounded] data index series using ($2*share):($4*unit) with lines lc rgb "#888888" lw 1 dt 2 title "bound"
    if (speedup_panel) {
        unset label
        set tmargin at screen panels_meet(height, key_rows(series + bounded, longest), longest) - 0.03
        set bmargin at screen 2.8 * line(height)
        eval x_axis
        eval speedup_axis
        plot 1 with lines lc rgb "#888888" lw 1 dt 1, \
             for [i = 1:focused] data index i-1 using ($2*share):6 with linespoints lt i
        unset multiplot
    }
    unset output
}
