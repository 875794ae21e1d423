"""Friction, bounce and softness of pairs of materials, from contactProperties.

The softness of a contact is that of the matching ContactProperties node, by default 0.2 and 0.001, as in
Webots: under a force F it sinks in by d = CFM·F·h/ERP. With stiff contacts, those whose `softERP` and
`softCFM` the world does not give (and always those described by an older Physics node, which has no such
fields) are a spring and damper: a third of the weight of the heavier side sinks in by d, critically damped.
Unlike a constant softCFM this works for a mouse and for a truck, and at any step:

    d = 0.5 mm · min(1, ∛(M / 125 kg)),  k = M·g/3/d,  c = 2·√(k·M/3),
    ERP = h·k/(h·k + c),  CFM = 1/(h·k + c)

(ODE manual, "How to use ERP and CFM".) A contact whose `bounce` is given, and a stiff one, is hard and has no
spring in the step of the bounce, so that it returns that fraction of the speed. Others keep their softness
then, as in Webots: the heavier a body, and the shorter the step, the less it bounces.

Penetrating shapes are pushed apart at ERP·depth/h, which would accelerate them too much: a body that falls on
a contact without bounce stops up to v·h deep, and would leave at up to ERP·v. So ERP and CFM are both reduced
by the same factor there. The stiffness ERP/(h·CFM) is unchanged, and with it the depth at rest under any
load; the damping (1 - ERP)/CFM grows. A stiff contact, which is critically damped, is reduced from 6·d on,
the depth under twice the weight.
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
from sim_core.model.dynamics.contact_properties import (
    DEFAULT_PROPERTIES,
    LEGACY_DEFAULTS,
    ContactProperties,
    Legacy,
    finite_friction,
)

COMPRESSION = 0.0005
"""Depth in m to which a third of the weight of a body compresses a contact."""
DEFAULT_GRAVITY = 9.81
"""m/s², used if the world has no gravity."""
NO_RHO = 1e-12
"""m: rolling friction without effect."""
FULL_COMPRESSION_MASS = 125.0
"""Mass in kg from which on the depth is COMPRESSION. Lighter bodies are smaller, and so is their
clearance from the ground: the depth is proportional to the cube root of the mass, a thousandth of the edge of
a cube of water of the same mass.
"""
BOUNCE_SOFTNESS = 1e-4
"""Fraction of the impulse that a bounce loses to the constraint's softness."""
PUSH_SPEED = 1.0
"""Largest speed at which a contact pushes shapes apart, m/s: a body that starts inside the ground rises out
of it and is not shot into the air."""
DAMPED_SPEED = 0.125
"""Fraction of √(g·depth) at which a contact without bounce pushes apart: this is a 128th of the energy that
would lift a body from that depth to the surface."""
TIE_BREAK = 1e-9
"""Fraction by which each further contact of two shapes bounces less than the previous one: a body that falls
evenly on its corners gives ODE's exact solver ties, and at some it gives up in the middle of a robot."""
SLIP_OF_TREAD = 0.5
"""A wheel in Webots touches with both rims. A slip k lets each of two contacts slide at v = k·F/2; the single
contact that replaces them must slide at that speed under the whole F.
"""


class SurfaceKind(NamedTuple):
    """All properties of one side of a contact on which the contact depends."""

    material: str
    mass: float = 0.0
    """kg, of all bodies connected with the body; 0: fixed."""
    legacy: Legacy | None = None
    """Contact fields of an older Physics node; None if not given."""


class Surface:
    """A pair of surfaces, with reusable ODE contacts.

    Attributes:
        stick: contact whose friction directions ODE chooses. slide: direction 1 is set by the caller.
        bounce_speed: approach speed (m/s) from which on it bounces; inf: never.
        restitution: ratio of the speed after the bounce to the approach speed.
        needs_velocity: False: without friction and bounce, so the sliding speed is not needed.
        asymmetric: for anisotropic friction the side of material1 (1 or 2), else 0.
        friction, slip, turns, direction: values of the fields for anisotropic friction, for `asymmetry.turn`.
        plain: the isotropic surface, for shapes without directions.
        shares: A (m), B (√m), C (m): at depth d ERP and CFM are multiplied by min(1, A/d, max(B/√d, C/d)).
        deep: depth from which on that factor is less than 1, m.
        rolls: True: isotropic rolling friction: direction 1 must follow the rolling.
        raw: (4, CONTACT_DOUBLES) the same contacts as ODE structures: stick, slide, and both with bounce.
        tread: the surface for a wheel's tread, which touches with one contact.
        most: largest number of contact points between two shapes; 0: they do not collide.
        on_belt: contacts on a running belt, slide and bouncing slide; None until they are needed.
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

    def set_anisotropic(
        self,
        friction: tuple[float, ...],
        slip: tuple[float, ...],
        turns: tuple[float, float],
        side: int,
        plain: Surface,
    ) -> None:
        """Set anisotropic friction; the arguments are the attributes of that name."""
        self.friction, self.slip, self.turns = friction, slip, turns
        self.asymmetric, self.plain = side, plain
        self.needs_velocity = True

    def set_rolling_friction(self, coefficients: tuple[float, float, float]) -> None:
        """Set rolling friction: lever arms in m about direction 1, direction 2 and the normal.

        A first value alone applies to all three axes, as in ODE. Otherwise ODE chooses the directions of
        level contacts, y and x of the world, unless friction is anisotropic: then they are those of the
        friction.
        """
        if not any(coefficients):
            return
        rho, rho2, rho_n = coefficients
        isotropic = rho > 0.0 and rho2 == rho_n == 0.0
        self.rolls = isotropic or rho == rho2
        self.needs_velocity = True
        # 0 would make an empty row, which ODE counts too
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

    def set_softness(self, erp: float, cfm: float, shares: Vec3) -> None:
        """Set spring and damper of the contact while it does not bounce; `shares`: see the attribute."""
        self.softness, self.shares = (erp, cfm), shares
        self.deep = min(shares[0], max(shares[1] ** 2, shares[2]))
        for contact in (self.stick, self.slide):
            contact.setSoftERP(erp)
            contact.setSoftCFM(cfm)
        self._fill_raw()

    def limit_push(self, contact: Any, depth: float) -> None:
        """Reduce ERP and CFM of a contact by its depth, unless it is hard; depth 0 restores them."""
        if contact.getSoftERP() == 0.0:
            return
        most, root, least = self.shares
        share = min(1.0, most / depth, max(root / math.sqrt(depth), least / depth)) if depth > 0.0 else 1.0
        contact.setSoftERP(share * self.softness[0])
        contact.setSoftCFM(share * self.softness[1])

    def set_bounce(self, restitution: float, speed: float, erp: float, cfm: float) -> None:
        """Set bounce at this and higher approach speeds, with this softness."""
        self.bounce_speed, self.restitution = speed, restitution
        self.needs_velocity = True
        for contact in (self.bounce_stick, self.bounce_slide):
            contact.setBounce(restitution)
            contact.setBounceVel(speed)
            contact.setSoftERP(erp)
            contact.setSoftCFM(cfm)
        self._fill_raw()

    def bouncing(self, slides: bool, index: int) -> Any:
        """Return the bouncing contact for the contact of this number between two shapes."""
        contact = self.bounce_slide if slides else self.bounce_stick
        contact.setBounce(self.restitution * (1.0 - TIE_BREAK * index))
        return contact

    def _fill_raw(self) -> None:
        for row, contact in enumerate((self.stick, self.slide, self.bounce_stick, self.bounce_slide)):
            self.raw[row] = raw_contact(contact)
            if self.rolling is not None:
                self.raw[row, RHO : RHO + 3] = self.rolling


class Surfaces:
    """All kinds of surfaces of a world, by index, and the properties of their pairs."""

    def __init__(
        self, properties: Sequence[ContactProperties], step: float, gravity: Vec3, are_stiff: bool
    ) -> None:
        """Create the surfaces of a world.

        Args:
            properties: of pairs of materials; the first for a pair is used.
            step: s.
            gravity: m/s².
            are_stiff: True: contacts without given softness are stiff; False: as soft as in Webots.
        """
        self._properties = properties
        self._step = step
        self._gravity = norm(gravity)
        self._are_stiff = are_stiff
        self._kinds: list[SurfaceKind] = []
        self._numbers: dict[SurfaceKind, int] = {}
        self._pairs: dict[int, Surface] = {}

    def index(self, kind: SurfaceKind) -> int:
        """Return the index of a kind of surface, which is added if new."""
        found = self._numbers.get(kind)
        if found is None:
            found = self._numbers[kind] = len(self._kinds)
            self._kinds.append(kind)
        return found

    def pair(self, first: int, second: int) -> Surface:
        """Return the surface between kinds `first` and `second`; the order matters for anisotropic
        friction."""
        key = first << 20 | second
        found = self._pairs.get(key)
        if found is None:
            found = self._pairs[key] = self._make(self._kinds[first], self._kinds[second])
        return found

    def _make(self, a: SurfaceKind, b: SurfaceKind) -> Surface:
        surface = self._make_with_slip(a, b, 1.0)
        if any(surface.slip):
            surface.tread = self._make_with_slip(a, b, SLIP_OF_TREAD)
        return surface

    def _make_with_slip(self, a: SurfaceKind, b: SurfaceKind, share: float) -> Surface:
        """Return the surface with this fraction of the slip in the fields."""
        properties, swapped = self._find(a.material, b.material)
        friction, slip = properties.friction, properties.slip
        bounce, bounce_velocity = properties.bounce, properties.bounce_velocity
        sides = [legacy for legacy in (a.legacy, b.legacy) if legacy is not None]
        is_legacy = properties is DEFAULT_PROPERTIES and any(legacy != LEGACY_DEFAULTS for legacy in sides)
        if is_legacy:  # the mean of both, or the value of one
            mu, bounce, bounce_velocity, own_slip = (
                sum(each) / len(sides) for each in zip(*sides, strict=True)
            )
            friction, slip = (finite_friction(mu),), (own_slip,)
        slip = tuple(share * value for value in slip)
        surface = Surface(friction[0], friction[0], (slip[0], slip[0]))
        surface.slip = slip
        surfaces = [surface]
        if len(friction) > 1 or len(slip) > 1:
            plain, surface = surface, Surface(friction[0], friction[0], (0.0, 0.0))
            surface.set_anisotropic(friction, slip, properties.turns, 2 if swapped else 1, plain)
            surface.direction = properties.direction
            surfaces.append(surface)
        for each in surfaces:
            each.most = properties.most
            each.set_rolling_friction(properties.rolling)
            from_mass = is_legacy or (self._are_stiff and not properties.has_softness)
            self._soften(each, properties, max(a.mass, b.mass) if from_mass else None, bounce)
            if bounce > 0.0:
                lighter = min(mass for mass in (a.mass, b.mass, math.inf) if mass > 0.0)
                hard = 0.0, BOUNCE_SOFTNESS * self._step / lighter if lighter < math.inf else 0.0
                is_hard = self._are_stiff or is_legacy or properties.has_bounce
                erp, cfm = hard if is_hard else each.softness
                each.set_bounce(bounce, bounce_velocity, erp, cfm)
        return surface

    def _soften(
        self, surface: Surface, properties: ContactProperties, mass: float | None, bounce: float
    ) -> None:
        """Set the softness from a mass, or with None that of the fields."""
        erp, cfm = properties.softness
        usual = 0.0
        if mass is not None:
            erp, cfm = spring_as_constraint(self._step, *contact_spring(mass, self._gravity))
            usual = 6.0 * rest_depth(mass)
        push = erp / self._step  # speed apart, m/s per m of depth
        if push == 0.0:
            surface.set_softness(erp, cfm, (math.inf, math.inf, math.inf))
            return
        # after a bounce with speed e·v the depth is at most (1 - e)·v·h, and the push is limited to that
        bounces_off = bounce >= erp * (1.0 - bounce)
        damped = (
            math.inf if bounces_off else DAMPED_SPEED * math.sqrt(self._gravity or DEFAULT_GRAVITY) / push
        )
        surface.set_softness(erp, cfm, (PUSH_SPEED / push, damped, usual))

    def _find(self, material1: str, material2: str) -> tuple[ContactProperties, bool]:
        """Return the first ContactProperties of two materials, and whether its material2 is the first of
        them."""
        for properties in self._properties:
            names = (properties.material1, properties.material2)
            if (material1, material2) in (names, names[::-1]):
                return properties, names[1] == material1
        return DEFAULT_PROPERTIES, False


def contact_spring(mass: float, gravity: float) -> tuple[float, float]:
    """Return stiffness (N/m) and damping (N·s/m) of a contact that carries a third of a mass."""
    stiffness = (mass or 1.0) * (gravity or DEFAULT_GRAVITY) / 3.0 / rest_depth(mass)
    return stiffness, 2.0 * math.sqrt(stiffness * (mass or 1.0) / 3.0)


def rest_depth(mass: float) -> float:
    """Return the depth in m to which a third of a mass compresses a stiff contact."""
    return COMPRESSION * min(1.0, ((mass or 1.0) / FULL_COMPRESSION_MASS) ** (1.0 / 3.0))
