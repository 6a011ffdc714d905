# Figures.
roundabout_test(plot roundabout_verbs PkgConfig::JANSSON)
roundabout_test(hostile_names roundabout_verbs)
add_test(NAME bruck_figures COMMAND ${CMAKE_CURRENT_LIST_DIR}/bruck_figures.sh
  $<TARGET_FILE:roundabout_cli> ${CMAKE_SOURCE_DIR}/experiments/bruck-figures.yaml)

# The scripts of a report; and reports in a browser, where there is one (apt install chromium chromium-driver nodejs).
find_program(ROUNDABOUT_NODE node)
find_program(ROUNDABOUT_CHROMIUM NAMES chromium chromium-browser google-chrome)
find_program(ROUNDABOUT_CHROMEDRIVER chromedriver)
if(ROUNDABOUT_NODE)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plots/report/*.js ${CMAKE_CURRENT_LIST_DIR}/*.js)
  add_test(NAME report_scripts COMMAND ${CMAKE_CURRENT_LIST_DIR}/report_scripts.sh ${ROUNDABOUT_NODE} ${scripts})
endif()
if(ROUNDABOUT_NODE AND ROUNDABOUT_CHROMIUM AND ROUNDABOUT_CHROMEDRIVER)
  add_test(NAME report_browser COMMAND ${ROUNDABOUT_NODE} ${CMAKE_CURRENT_LIST_DIR}/report_browser.js
    $<TARGET_FILE:roundabout_cli>)
  set_tests_properties(report_browser PROPERTIES TIMEOUT 300)
else()
  message(STATUS "reports are not tested in a browser: chromium, chromedriver or node is missing")
endif()

add_test(NAME plot_series COMMAND ${CMAKE_CURRENT_LIST_DIR}/series.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME plot_measured COMMAND ${CMAKE_CURRENT_LIST_DIR}/measured.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME plot_look COMMAND ${CMAKE_CURRENT_LIST_DIR}/look.sh $<TARGET_FILE:roundabout_cli> ${CMAKE_SOURCE_DIR}/data)
# Figures in a LaTeX document: Debian's texlive-latex-base, -recommended and -pictures.
find_program(PDFLATEX pdflatex)
find_program(PDFTOTEXT pdftotext)
find_program(KPSEWHICH kpsewhich)
if(PDFLATEX AND PDFTOTEXT AND KPSEWHICH)
  execute_process(COMMAND ${KPSEWHICH} tikz.sty OUTPUT_VARIABLE tikz_style ERROR_QUIET)
  execute_process(COMMAND ${KPSEWHICH} xcolor.sty OUTPUT_VARIABLE xcolor_style ERROR_QUIET)
endif()
if(tikz_style AND xcolor_style)
  add_test(NAME plot_latex COMMAND ${CMAKE_CURRENT_LIST_DIR}/latex.sh $<TARGET_FILE:roundabout_cli>)
else()
  message(STATUS "pdflatex with TikZ or pdftotext is missing: no test of figures in LaTeX")
endif()
