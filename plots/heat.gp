
# A cell per n that was run, coloured by its time over that of the row's best n, which has a ring.
eval good_palette
set yrange [-0.5:rows-0.5]
unset grid
unset key
set rmargin at screen beside_colours
do for [format in formats] {
    eval begin(format)
    eval frame(height, 0, 0)
    set ylabel show(y_text("number of ranks p"))
    eval x_axis
    eval cb_axis
    set cblabel offset beside,0
    plot data using 3:1:4:5:($1-0.5):($1+0.5):7 with boxxyerror fillstyle solid noborder fc palette z, \
         data using ($8 == 1 ? $3 : NaN):1 with points pt 6 ps 0.6*dot lw 1 lc rgb "#000000"
    unset output
}
