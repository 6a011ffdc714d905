
# Time against m with the least, the greatest and the best radix; below, which is best. Dotted, where
# the first two cross.
height = fit(9)
do for [format in formats] {
    eval begin(format)
    eval frame(height, 2, longest)
    eval x_axis
    eval y_axis
    set multiplot
    set bmargin at screen panels_meet(height, 2, longest)
    set xlabel ""
    unset xtics
    if (crosses) {
        set arrow 1 from crossing*share,graph 0 to crossing*share,graph 1 nohead back dt (1,2) lw 1 lc rgb "#444444"
        if (crossing_late) {
            set label 3 show(crossing_label) at crossing*share,graph 0.05 right offset -0.4,0 tc rgb "#444444"
        } else {
            set label 3 show(crossing_label) at crossing*share,graph 0.05 left offset 0.4,0 tc rgb "#444444"
        }
    }
    plot for [i = 1:banded(3)] data index i-1 using ($2*share):($4*unit):($5*unit) with filledcurves lt i fs transparent solid 0.15 noborder, \
         for [i = 1:barred(3)] data index i-1 using ($2*share):($3*unit):($4*unit):($5*unit) with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:3] data index i-1 using ($2*share):($3*unit) with linespoints lt i title show(titles[i])
    unset label
    set tmargin at screen panels_meet(height, 2, longest) - 0.03
    set bmargin at screen 2.8 * line(height)
    eval x_axis
    eval radix_axis
    plot data index 2 using ($2*share):1 with points lt 3 ps 0.6*dot
    unset multiplot
    unset arrow
    unset output
}
