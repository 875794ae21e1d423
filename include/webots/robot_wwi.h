#include "../odesim.h"
