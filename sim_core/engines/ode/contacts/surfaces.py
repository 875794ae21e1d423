"""What happens where two materials touch: friction, bounce and softness, from contactProperties.

The softness of a contact is that of the matching ContactProperties node, 0.2 and 0.001 where there is none,
as in Webots: under a force F it sinks in by d = CFM·F·h/ERP. Where contacts are to be stiff, those of which
the world writes neither `softERP` nor `softCFM`, and always those that an older Physics node describes, which
has no such fields, are a spring and damper: a third of the weight of the heavier side sinks in by d,
critically damped. Unlike a constant softCFM this holds for a mouse as for a truck, and at any step:

    d = 0.5 mm · min(1, ∛(M / 125 kg)),  k = M·g/3/d,  c = 2·√(k·M/3),
    ERP = h·k/(h·k + c),  CFM = 1/(h·k + c)

(ODE manual, "How to use ERP and CFM".) A contact whose `bounce` is written, and a stiff one, is hard and has
no spring in the step of the bounce, so that it returns that part of the speed. Others are as soft then as
ever, as in Webots: the more a body weighs, and the shorter the step, the less it bounces.

What is too deep is pushed apart at ERP·depth/h, with which it would fly off: a body that falls on a contact
without bounce stops up to v·h deep, and would leave at up to ERP·v. So ERP and CFM are both taken smaller by
the same part there. The stiffness ERP/(h·CFM) stays, and with it the depth at rest under any load; the
damping (1 - ERP)/CFM grows. A stiff contact, which is critically damped, has that from 6·d on, the depth
under twice the weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sim_core.base.geometry import ZERO, Vec3, norm
from sim_core.engines.ode.ode_binding import (
    CONTACT_APPROX1,
    CONTACT_BOUNCE,
    CONTACT_DOUBLES,
    CONTACT_FDIR1,
    CONTACT_MU2,
    CONTACT_ROLLING,
    CONTACT_SLIP1,
    CONTACT_SLIP2,
    CONTACT_SOFT_CFM,
    CONTACT_SOFT_ERP,
    RHO,
    raw_contact,
    set_rolling,
)
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.springs import spring_as_constraint
from sim_core.model.dynamics.contact_properties import UNSAID, USUAL, ContactProperties, Legacy, endless

SINKS_IN = 0.0005
"""Depth in m to which a third of the weight of a body presses a contact in."""
USUAL_GRAVITY = 9.81
"""m/s², where the world has none."""
NO_RHO = 1e-12
"""Rolling friction that does nothing, m."""
HEAVY = 125.0
"""Mass in kg from which on contacts sink in by SINKS_IN. What is lighter is smaller, and so is its clearance
from the ground: the depth goes with the third root of the mass, a thousandth of the edge of a cube of water
that weighs as much.
"""
BOUNCE_SOFTNESS = 1e-4
"""Part of the impulse that a bounce loses to the constraint's softness."""
PUSHES_OUT = 1.0
"""Fastest that a contact pushes apart what is in each other, m/s: what starts inside the ground rises out of
it and is not shot into the air."""
CALMS = 0.125
"""Part of √(g·depth) at which a contact without bounce pushes apart: of the energy that would carry a body
from that depth to the surface it is a 128th."""
TIE_BREAK = 1e-9
"""Part by which each further contact of two shapes bounces less than the one before: what falls evenly on its
corners makes ODE's exact solver meet ties, and at some it gives up in the middle of a robot."""
SLIP_OF_TREAD = 0.5
"""A wheel of Webots touches with both rims. A slip k lets each of two contacts slide at v = k·F/2; the one
contact that stands for them must slide at that, under the whole F.
"""


class SurfaceKind(NamedTuple):
    """Everything about one side of a contact that the contact depends on."""

    material: str
    mass: float = 0.0
    """Of all that hangs together with the body, kg; 0: it stands still."""
    legacy: Legacy | None = None
    """Contact fields of an older Physics node; None where not written."""


class Surface:
    """A pair of surfaces, with ODE contacts ready to be used again and again.

    Attributes:
        stick: contact whose friction directions ODE chooses. slide: direction 1 is set by the caller.
        bounce_speed: from this approach speed on (m/s) it bounces; inf: never.
        restitution: part of the approach speed with which it then leaves.
        needs_velocity: False: neither friction nor bounce, so no one need ask how fast it slides.
        asymmetric: which side is that of material1 (1 or 2) where friction is not the same all round, else 0.
        friction, slip, turns, direction: then the values of the fields, for `asymmetry.turn`.
        plain: then the surface for shapes whose friction is the same all round nevertheless.
        shares: A (m), B (√m), C (m): at depth d the part min(1, A/d, max(B/√d, C/d)) of ERP and CFM counts.
        deep: depth from which on that is less than 1, m.
        rolls: rolling friction is the same all round: direction 1 must follow the rolling.
        raw: (4, CONTACT_DOUBLES) the same contacts as ODE's own structures: stick, slide, both again with
            bounce.
        tread: the surface for a wheel's tread, which touches with one contact.
        most: largest number of contact points between two shapes.
        on_belt: contacts for where a belt runs, slide and bouncing slide; None until they are needed.
    """

    __slots__ = (
        "asymmetric",
        "bounce_slide",
        "bounce_speed",
        "bounce_stick",
        "deep",
        "direction",
        "friction",
        "most",
        "needs_velocity",
        "on_belt",
        "plain",
        "raw",
        "restitution",
        "rolling",
        "rolls",
        "shares",
        "slide",
        "slip",
        "softness",
        "stick",
        "tread",
        "turns",
    )

    def __init__(self, mu: float, mu2: float, slip: tuple[float, float]) -> None:
        self.stick = ode.Contact()
        self.slide = ode.Contact()
        self.bounce_stick = ode.Contact()
        self.bounce_slide = ode.Contact()
        self.asymmetric = 0
        self.friction: tuple[float, ...] = ()
        self.slip: tuple[float, ...] = ()
        self.turns = (0.0, 0.0)
        self.direction = ZERO
        self.plain: Surface | None = None
        self.tread = self
        self.rolling: tuple[float, float, float] | None = None
        self.rolls = False
        self.bounce_speed = math.inf
        self.restitution = 0.0
        self.softness = (0.0, 0.0)
        self.shares: Vec3 = (math.inf, math.inf, math.inf)
        self.deep = math.inf
        self.most = 10
        self.on_belt: Any = None
        self.needs_velocity = mu > 0.0 or mu2 > 0.0
        for contact in (self.stick, self.slide, self.bounce_stick, self.bounce_slide):
            mode = CONTACT_APPROX1 | CONTACT_SOFT_ERP | CONTACT_SOFT_CFM
            contact.setMu(mu)
            if mu2 != mu:
                mode |= CONTACT_MU2
                contact.setMu2(mu2)
            if slip[0] > 0.0 or slip[1] > 0.0:
                mode |= CONTACT_SLIP1 | CONTACT_SLIP2
                contact.setSlip1(slip[0])
                contact.setSlip2(slip[1])
            if contact is self.slide or contact is self.bounce_slide:
                mode |= CONTACT_FDIR1
            if contact is self.bounce_stick or contact is self.bounce_slide:
                mode |= CONTACT_BOUNCE
            contact.setMode(mode)
        self.raw = np.zeros((4, CONTACT_DOUBLES))
        self._fill_raw()

    def let_differ(
        self,
        friction: tuple[float, ...],
        slip: tuple[float, ...],
        turns: tuple[float, float],
        side: int,
        plain: Surface,
    ) -> None:
        """Friction is not the same all round; the names are those of the attributes."""
        self.friction, self.slip, self.turns = friction, slip, turns
        self.asymmetric, self.plain = side, plain
        self.needs_velocity = True

    def roll(self, coefficients: tuple[float, float, float]) -> None:
        """Rolling friction: lever arms in m about direction 1, about direction 2 and about the normal.

        The first alone counts about all three axes, as in ODE. Else ODE chooses the directions of level
        contacts, y and x of the world, unless friction is asymmetric: they are then those of the friction.
        """
        if not any(coefficients):
            return
        rho, rho2, rho_n = coefficients
        isotropic = rho > 0.0 and rho2 == rho_n == 0.0
        self.rolls = isotropic or rho == rho2
        self.needs_velocity = True
        # 0 would make an empty row, which ODE counts all the same
        self.rolling = (rho, rho, rho) if isotropic else (rho or NO_RHO, rho2 or NO_RHO, rho_n or NO_RHO)
        for contact in (self.stick, self.slide, self.bounce_stick, self.bounce_slide):
            mode = contact.getMode()
            if not mode & CONTACT_MU2:  # this flag says that direction 2 has its own values, of both kinds
                contact.setMu2(contact.getMu())
            if not self.rolls and not self.asymmetric:
                mode &= ~CONTACT_FDIR1
            contact.setMode(mode | CONTACT_ROLLING | CONTACT_MU2)
            set_rolling(contact, *self.rolling)
        self._fill_raw()

    def soften(self, erp: float, cfm: float, shares: Vec3) -> None:
        """Spring and damper of the contact while it does not bounce; `shares`: see the attribute."""
        self.softness, self.shares = (erp, cfm), shares
        self.deep = min(shares[0], max(shares[1] ** 2, shares[2]))
        for contact in (self.stick, self.slide):
            contact.setSoftERP(erp)
            contact.setSoftCFM(cfm)
        self._fill_raw()

    def ease(self, contact: Any, depth: float) -> None:
        """Let a contact push apart slowly, unless it has no softness; with a depth of 0 as ever."""
        if contact.getSoftERP() == 0.0:
            return
        most, root, least = self.shares
        share = min(1.0, most / depth, max(root / math.sqrt(depth), least / depth)) if depth > 0.0 else 1.0
        contact.setSoftERP(share * self.softness[0])
        contact.setSoftCFM(share * self.softness[1])

    def let_bounce(self, restitution: float, speed: float, erp: float, cfm: float) -> None:
        """Bounce at this and higher approach speeds, with this softness."""
        self.bounce_speed, self.restitution = speed, restitution
        self.needs_velocity = True
        for contact in (self.bounce_stick, self.bounce_slide):
            contact.setBounce(restitution)
            contact.setBounceVel(speed)
            contact.setSoftERP(erp)
            contact.setSoftCFM(cfm)
        self._fill_raw()

    def bouncing(self, slides: bool, index: int) -> Any:
        """The contact that bounces, of the contacts of two shapes that with this number."""
        contact = self.bounce_slide if slides else self.bounce_stick
        contact.setBounce(self.restitution * (1.0 - TIE_BREAK * index))
        return contact

    def _fill_raw(self) -> None:
        for row, contact in enumerate((self.stick, self.slide, self.bounce_stick, self.bounce_slide)):
            self.raw[row] = raw_contact(contact)
            if self.rolling is not None:
                self.raw[row, RHO : RHO + 3] = self.rolling


class Surfaces:
    """All kinds of surfaces of a world, by index, and what their pairs do."""

    def __init__(
        self, properties: Sequence[ContactProperties], step: float, gravity: Vec3, are_stiff: bool
    ) -> None:
        """Of a world.

        Args:
            properties: of pairs of materials; the first that names a pair counts.
            step: s.
            gravity: m/s².
            are_stiff: contacts whose softness is not written are stiff; False: as soft as in Webots.
        """
        self._properties = properties
        self._step = step
        self._gravity = norm(gravity)
        self._are_stiff = are_stiff
        self._kinds: list[SurfaceKind] = []
        self._numbers: dict[SurfaceKind, int] = {}
        self._pairs: dict[int, Surface] = {}

    def index(self, kind: SurfaceKind) -> int:
        """The index of a kind of surface, a new one if it is not known yet."""
        found = self._numbers.get(kind)
        if found is None:
            found = self._numbers[kind] = len(self._kinds)
            self._kinds.append(kind)
        return found

    def pair(self, first: int, second: int) -> Surface:
        """What happens where surface `first` touches `second`; the order matters for asymmetric friction."""
        key = first << 20 | second
        found = self._pairs.get(key)
        if found is None:
            found = self._pairs[key] = self._make(self._kinds[first], self._kinds[second])
        return found

    def _make(self, a: SurfaceKind, b: SurfaceKind) -> Surface:
        surface = self._with_slip(a, b, 1.0)
        if any(surface.slip):
            surface.tread = self._with_slip(a, b, SLIP_OF_TREAD)
        return surface

    def _with_slip(self, a: SurfaceKind, b: SurfaceKind, share: float) -> Surface:
        """The surface with this part of the slip that the fields state."""
        properties, swapped = self._find(a.material, b.material)
        friction, slip = properties.friction, properties.slip
        bounce, bounce_velocity = properties.bounce, properties.bounce_velocity
        sides = [legacy for legacy in (a.legacy, b.legacy) if legacy is not None]
        is_legacy = properties is USUAL and any(legacy != UNSAID for legacy in sides)
        if is_legacy:  # the mean of both, or what one has
            mu, bounce, bounce_velocity, own_slip = (
                sum(each) / len(sides) for each in zip(*sides, strict=True)
            )
            friction, slip = (endless(mu),), (own_slip,)
        slip = tuple(share * value for value in slip)
        surface = Surface(friction[0], friction[0], (slip[0], slip[0]))
        surface.slip = slip
        surfaces = [surface]
        if len(friction) > 1 or len(slip) > 1:
            plain, surface = surface, Surface(friction[0], friction[0], (0.0, 0.0))
            surface.let_differ(friction, slip, properties.turns, 2 if swapped else 1, plain)
            surface.direction = properties.direction
            surfaces.append(surface)
        for each in surfaces:
            each.most = properties.most
            each.roll(properties.rolling)
            from_mass = is_legacy or (self._are_stiff and not properties.states_softness)
            self._soften(each, properties, max(a.mass, b.mass) if from_mass else None, bounce)
            if bounce > 0.0:
                lighter = min(mass for mass in (a.mass, b.mass, math.inf) if mass > 0.0)
                hard = 0.0, BOUNCE_SOFTNESS * self._step / lighter if lighter < math.inf else 0.0
                is_hard = self._are_stiff or is_legacy or properties.states_bounce
                erp, cfm = hard if is_hard else each.softness
                each.let_bounce(bounce, bounce_velocity, erp, cfm)
        return surface

    def _soften(
        self, surface: Surface, properties: ContactProperties, mass: float | None, bounce: float
    ) -> None:
        """Softness from a mass, or with None that of the fields."""
        erp, cfm = properties.softness
        usual = 0.0
        if mass is not None:
            erp, cfm = spring_as_constraint(self._step, *contact_spring(mass, self._gravity))
            usual = 6.0 * rest_depth(mass)
        push = erp / self._step  # apart, m/s for each m of depth
        if push == 0.0:
            surface.soften(erp, cfm, (math.inf, math.inf, math.inf))
            return
        # after a bounce by e·v it is (1 - e)·v·h deep or less, and is pushed by no more than that
        bounces_off = bounce >= erp * (1.0 - bounce)
        calm = math.inf if bounces_off else CALMS * math.sqrt(self._gravity or USUAL_GRAVITY) / push
        surface.soften(erp, cfm, (PUSHES_OUT / push, calm, usual))

    def _find(self, material1: str, material2: str) -> tuple[ContactProperties, bool]:
        """The first ContactProperties of two materials, and whether its material2 is the first of them."""
        for properties in self._properties:
            names = (properties.material1, properties.material2)
            if (material1, material2) in (names, names[::-1]):
                return properties, names[1] == material1
        return USUAL, False


def contact_spring(mass: float, gravity: float) -> tuple[float, float]:
    """Stiffness (N/m) and damping (N·s/m) of a contact that carries a third of a mass."""
    stiffness = (mass or 1.0) * (gravity or USUAL_GRAVITY) / 3.0 / rest_depth(mass)
    return stiffness, 2.0 * math.sqrt(stiffness * (mass or 1.0) / 3.0)


def rest_depth(mass: float) -> float:
    """Depth in m to which a third of a mass presses a stiff contact in."""
    return SINKS_IN * min(1.0, ((mass or 1.0) / HEAVY) ** (1.0 / 3.0))
