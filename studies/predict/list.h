/* list.h - the models, the default first; a line here registers a model. The including file defines
 * the macro PREDICT_MODEL first, which is applied to each name; so this header has no include
 * guard. */

PREDICT_MODEL(predict_machine)
PREDICT_MODEL(predict_rounds)
PREDICT_MODEL(predict_nccl)
