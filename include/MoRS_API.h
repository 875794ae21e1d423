#include <odesim.h>
namespace MORS_API = odesim;
