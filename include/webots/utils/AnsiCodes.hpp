/* Escape sequences for coloured output (ECMA-48). */
#ifndef WEBOTS_ANSICODES_HPP
#define WEBOTS_ANSICODES_HPP

#include <string>

#include "ansi_codes.h"

namespace webots {

namespace AnsiCodes {
static const std::string RESET = ANSI_RESET;
static const std::string BOLD = ANSI_BOLD;
static const std::string UNDERLINE = ANSI_UNDERLINE;
static const std::string CLEAR_SCREEN = ANSI_CLEAR_SCREEN;
static const std::string BLACK_FOREGROUND = ANSI_BLACK_FOREGROUND;
static const std::string RED_FOREGROUND = ANSI_RED_FOREGROUND;
static const std::string GREEN_FOREGROUND = ANSI_GREEN_FOREGROUND;
static const std::string YELLOW_FOREGROUND = ANSI_YELLOW_FOREGROUND;
static const std::string BLUE_FOREGROUND = ANSI_BLUE_FOREGROUND;
static const std::string MAGENTA_FOREGROUND = ANSI_MAGENTA_FOREGROUND;
static const std::string CYAN_FOREGROUND = ANSI_CYAN_FOREGROUND;
static const std::string WHITE_FOREGROUND = ANSI_WHITE_FOREGROUND;
static const std::string BLACK_BACKGROUND = ANSI_BLACK_BACKGROUND;
static const std::string RED_BACKGROUND = ANSI_RED_BACKGROUND;
static const std::string GREEN_BACKGROUND = ANSI_GREEN_BACKGROUND;
static const std::string YELLOW_BACKGROUND = ANSI_YELLOW_BACKGROUND;
static const std::string BLUE_BACKGROUND = ANSI_BLUE_BACKGROUND;
static const std::string MAGENTA_BACKGROUND = ANSI_MAGENTA_BACKGROUND;
static const std::string CYAN_BACKGROUND = ANSI_CYAN_BACKGROUND;
static const std::string WHITE_BACKGROUND = ANSI_WHITE_BACKGROUND;
}  // namespace AnsiCodes

}  // namespace webots

#endif
