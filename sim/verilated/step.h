// Several Verilated models of one kind in step.
#pragma once

#include "model.h"
#ifdef X2CBBR_STEPS
#include "pieces.h"
#endif

namespace driver {

// The end of the clock for models whose inputs have settled. A clock of one model is more code than the processor's first cache holds, so
// that it would be fetched anew for each of them; here each piece of it is fetched once for all.
// A model with mutants or with counters of coverage is not made of such pieces, and its copies take turns.
template <typename Models> void rise_together(const Models &models) {
#ifdef X2CBBR_STEPS
    for (Piece *piece : PIECES)
        for (Model *model : models)
            piece(model->root());
    for (Model *model : models)
        model->risen();
#else
    for (Model *model : models)
        model->rise();
#endif
}

} // namespace driver
