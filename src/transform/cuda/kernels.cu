// All that is compiled for a GPU, as one program.
#include "transform/cuda/encode_tiles.cu"
#include "transform/cuda/shuffle_tiles.cu"
