#include <odesim.h>
