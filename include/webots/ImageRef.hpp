/* An image of a display. */
#ifndef WEBOTS_IMAGEREF_HPP
#define WEBOTS_IMAGEREF_HPP

#include "../odesim.h"

namespace webots {

class ImageRef {
 public:
  explicit ImageRef(const WbImageRef &imageRef) : imageRef(imageRef) {}
  virtual ~ImageRef() {}
  WbImageRef getImageRef() { return imageRef; }

 private:
  WbImageRef imageRef;
};

}  // namespace webots

#endif
