
# A panel per algorithm: a cell per p and m, coloured by how much slower the algorithm is than the fastest one, which has
# a ring.
across_page = width > 12 ? 4 : 2
down = (series + across_page - 1) / across_page
low = 2.8 * 0.045 * letter
height = fit(low + (head + 0.6) * 0.045 * letter + down * (0.55 + 0.26 * larger(y_cells, 3)) * letter / 8)
eval good_palette
set xrange [-0.5:x_cells-0.5]
set yrange [-0.5:y_cells-0.5]
unset grid
unset key
do for [format in formats] {
    eval begin(format)
    eval frame(height, 0, 0)
    base = low / height
    top = 1 - (head + 0.4) * line(height)
    high = (top - base) / down
    wide = (beside_colours - left) / across_page
    set multiplot
    eval cb_axis
    set cblabel offset beside,0
    do for [i = 1:series] {
        column = (i - 1) % across_page
        row = (i - 1) / across_page
        last = i + across_page > series
        set lmargin at screen left + column * wide
        set rmargin at screen left + (column + 1) * wide - across(0.2)
        set bmargin at screen top - (row + 1) * high
        set tmargin at screen top - row * high - 1.3 * line(height)
        hidden = last ? 0 : 1
        eval x_ticks
        hidden = column == 0 ? 0 : 1
        eval y_ticks
        set xlabel last ? show(x_text("message size m")) : ""
        set ylabel column == 0 ? show(y_text("ranks p")) : ""
        set label 3 show(strlen(titles[i]) > 20 ? titles[i][1:17]."..." : titles[i]) at graph 0,1 left offset 0,0.6
        if (i == 1) {
            set colorbox user origin beside_colours + across(0.1), base size across(0.25), top - base - 1.3 * line(height)
        } else {
            unset colorbox
        }
        plot data index i-1 using 2:1:(0.5):(0.5):8 with boxxyerror fillstyle solid noborder fc palette z, \
             data index i-1 using ($8 == 1 ? $2 : NaN):1 with points pt 6 ps 0.5*dot lw 0.8 lc rgb "#000000"
        unset label 1
        unset label 2
        unset label 4
    }
    unset multiplot
    unset label
    hidden = 0
    unset output
}
