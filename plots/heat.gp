
# A cell per n that was run, coloured by its time over that of the row's best n, which has a ring.
# Light is good; the colours (viridis) also darken in grey.
set palette defined (0 "#fde725", 0.13 "#addc30", 0.25 "#5ec962", 0.38 "#28ae80", 0.5 "#21918c", \
    0.63 "#2c728e", 0.75 "#3b528b", 0.88 "#472d7b", 1 "#440154")
set ylabel "number of ranks p"
set yrange [-0.5:rows-0.5]
unset grid
unset key
eval frame(height, 0, 0)
set rmargin at screen 0.78
eval x_axis
eval cb_axis
set cblabel offset 0.3,0
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    plot data using 3:1:4:5:($1-0.5):($1+0.5):7 with boxxyerror fillstyle solid noborder fc palette z, \
         data using ($8 == 1 ? $3 : NaN):1 with points pt 6 ps 0.6 lw 1 lc rgb "#000000"
    unset output
}
