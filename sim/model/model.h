/* model.h - the engine `model`. */
#ifndef RB_SIM_MODEL_MODEL_H
#define RB_SIM_MODEL_MODEL_H

#include "sim/engine/engine.h"

extern const struct rb_engine rb_engine_model;

#endif
