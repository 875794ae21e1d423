#include "../../../odesim.h"
