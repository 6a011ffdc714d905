
# Time against m with the least, the greatest and the best radix; below, which is best. Dotted, where
# the first two cross.
height = 9
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    eval frame(height, 2, longest)
    eval x_axis
    eval y_axis
    set multiplot
    set bmargin at screen 0.38
    set xlabel ""
    unset xtics
    if (crosses) {
        set arrow 1 from crossing*share,graph 0 to crossing*share,graph 1 nohead back dt (1,2) lw 1 lc rgb "#444444"
        if (crossing_late) {
            set label 3 crossing_label at crossing*share,graph 0.05 right offset -0.4,0 tc rgb "#444444"
        } else {
            set label 3 crossing_label at crossing*share,graph 0.05 left offset 0.4,0 tc rgb "#444444"
        }
    }
    plot for [i = 1:3] data index i-1 using ($2*share):($3*unit) with linespoints lt i title titles[i]
    unset label
    set tmargin at screen 0.35
    set bmargin at screen 2.8 * line(height)
    eval x_axis
    eval radix_axis
    plot data index 2 using ($2*share):1 with points lt 3 ps 0.6
    unset multiplot
    unset arrow
    unset output
}
