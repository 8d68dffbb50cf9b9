// Several Verilated models of one kind in step.
#pragma once

#include "model.h"
#include "pieces.h"

namespace driver {

// The end of the clock for models whose inputs have settled. A clock of one model is more code than the processor's first cache holds, so
// that it would be fetched anew for each of them; here each piece of it is fetched once for all.
template <typename Models> void rise_together(const Models &models) {
    for (Piece *piece : PIECES)
        for (Model *model : models)
            piece(model->root());
    for (Model *model : models)
        model->risen();
}

} // namespace driver
