/* The wall-avoider scene on libode alone, with the contacts that sim_core/engines/ode makes: what a step costs without
   Python. Reads the scene that physics.py writes on stdin; prints the microseconds per step of each round, then the
   positions of all bodies, by which physics.py checks that both did the same work.

   cc -O2 -o physics_baseline physics_baseline.c -lode -lm */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 4096

typedef struct {
    double mu, erp, cfm, restitution, bounce_speed, bounce_erp, bounce_cfm, most, root, least;
    int needs_velocity;
    dContact stick, slide, bounce_stick, bounce_slide;
} Surface;

enum { WHEEL, BALL, OTHER };

typedef struct {
    dGeomID geom;
    dBodyID body;
    double radius, offset[3], rotation[9], extent[4];
    int kind, column, group;
    Surface *floor, *other;
} Shape;

static dWorldID world;
static dSpaceID still, moving;
static dJointGroupID contacts;
static dBodyID bodies[MOST];
static Shape shapes[MOST], *rows[MOST], *floor_shape;
static Surface surfaces[64];
static int n_bodies, n_shapes, n_rows, n_surfaces;
static double step_s, floor_height;
static volatile double state_sum;

static void fill(dContact *c, const Surface *s, int slides, int bounces) {
    memset(c, 0, sizeof *c);
    c->surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM | (slides ? dContactFDir1 : 0) |
                      (bounces ? dContactBounce : 0);
    c->surface.mu = s->mu;
    c->surface.soft_erp = bounces ? s->bounce_erp : s->erp;
    c->surface.soft_cfm = bounces ? s->bounce_cfm : s->cfm;
    c->surface.bounce = s->restitution;
    c->surface.bounce_vel = s->bounce_speed;
}

static dContact *choose(Surface *s, double ux, double uy, double uz, int bounces) {
    double speed = ux * ux + uy * uy + uz * uz;
    if (speed <= 1e-6) return bounces ? &s->bounce_stick : &s->stick;
    dContact *c = bounces ? &s->bounce_slide : &s->slide;
    speed = sqrt(speed);
    c->fdir1[0] = ux / speed, c->fdir1[1] = uy / speed, c->fdir1[2] = uz / speed;
    return c;
}

static void join(dContact *c, const Surface *s, dBodyID a, dBodyID b) {
    double erp = c->surface.soft_erp, cfm = c->surface.soft_cfm, depth = c->geom.depth;
    if (erp > 0.0 && (depth > s->most || depth > fmax(s->root * s->root, s->least))) {
        double share = fmin(s->most / depth, fmax(s->root / sqrt(depth), s->least / depth));
        c->surface.soft_erp = share * erp, c->surface.soft_cfm = share * cfm;
    }
    dJointAttach(dJointCreateContact(world, contacts, c), a, b);
    c->surface.soft_erp = erp, c->surface.soft_cfm = cfm;
}

static void touch_floor(const Shape *shape, double rx, double ry, double rz, double depth) {
    const dReal *p = dBodyGetPosition(shape->body), *v = dBodyGetLinearVel(shape->body);
    const dReal *w = dBodyGetAngularVel(shape->body);
    Surface *s = shape->floor;
    dContact *c = &s->stick;
    if (s->needs_velocity) {
        int bounces = w[1] * rx - w[0] * ry - v[2] > s->bounce_speed;
        c = choose(s, v[0] + w[1] * rz - w[2] * ry, v[1] + w[2] * rx - w[0] * rz, 0.0, bounces);
    }
    c->geom.pos[0] = p[0] + rx, c->geom.pos[1] = p[1] + ry, c->geom.pos[2] = p[2] + rz;
    c->geom.normal[0] = 0, c->geom.normal[1] = 0, c->geom.normal[2] = 1;
    c->geom.depth = depth;
    join(c, s, shape->body, 0);
}

static void touch(const Shape *a, const Shape *b) {
    dContactGeom found[150];
    if (a->body == b->body) return;
    int count = dCollide(a->geom, b->geom, 150, found, sizeof found[0]);
    for (int i = 0; i < count; i++) {
        Surface *s = b->other ? b->other : a->other;
        dVector3 va = {0}, vb = {0};
        const dReal *q = found[i].pos, *n = found[i].normal;
        if (a->body) dBodyGetPointVel(a->body, q[0], q[1], q[2], va);
        if (b->body) dBodyGetPointVel(b->body, q[0], q[1], q[2], vb);
        double u[3] = {va[0] - vb[0], va[1] - vb[1], va[2] - vb[2]};
        double approach = -(u[0] * n[0] + u[1] * n[1] + u[2] * n[2]);
        for (int k = 0; k < 3; k++) u[k] += approach * n[k];
        dContact *c = choose(s, u[0], u[1], u[2], approach > s->bounce_speed);
        c->geom = found[i];
        join(c, s, a->body, b->body);
    }
}

static int group_of(dGeomID geom) { return (int)(long)dGeomGetData(geom); }

static void near_callback(void *data, dGeomID a, dGeomID b) {
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        if (group_of(a) < 0 || group_of(a) != group_of(b)) dSpaceCollide2(a, b, data, near_callback);
        return;
    }
    const Shape *first = dGeomGetData(a), *second = dGeomGetData(b);
    if (first->group != second->group) touch(first, second);
}

static void one_step(void) {
    for (int i = 0; i < n_rows; i++) {
        const Shape *s = rows[i];
        const dReal *p = dBodyGetPosition(s->body), *r = dBodyGetRotation(s->body);
        double x = s->offset[0], y = s->offset[1], z = s->offset[2];
        double rx = r[0] * x + r[1] * y + r[2] * z, ry = r[4] * x + r[5] * y + r[6] * z;
        double rz = r[8] * x + r[9] * y + r[10] * z;
        if (s->kind == WHEEL) {
            double ax = r[s->column], ay = r[4 + s->column], az = r[8 + s->column], tilt = az * az;
            if (tilt > 0.25) continue;
            double level = sqrt(1.0 - tilt), along = s->radius * az / level;
            rx += along * ax, ry += along * ay, rz -= s->radius * level;
        } else if (s->kind == BALL) {
            rz -= s->radius;
        } else {
            double extent = 0.0;
            for (int k = 0; k < 3; k++) {
                double up = 0.0;
                for (int m = 0; m < 3; m++) up += r[8 + m] * s->rotation[3 * m + k];
                extent += s->extent[k] * fabs(up);
                if (k == 2) extent += s->extent[3] * sqrt(fmax(0.0, 1.0 - up * up));
            }
            if (p[2] + rz - extent < floor_height) touch(s, floor_shape);
            continue;
        }
        double depth = floor_height - p[2] - rz;
        if (depth >= 0.0 && dBodyIsEnabled(s->body)) touch_floor(s, rx, ry, rz, depth);
    }
    dSpaceCollide2((dGeomID)moving, (dGeomID)still, 0, near_callback);
    dSpaceCollide(moving, 0, near_callback);
    dWorldStep(world, step_s);
    dJointGroupEmpty(contacts);
    double sum = 0.0;
    for (int i = 0; i < n_bodies; i++) {
        const dReal *p = dBodyGetPosition(bodies[i]), *v = dBodyGetLinearVel(bodies[i]);
        const dReal *w = dBodyGetAngularVel(bodies[i]);
        for (int k = 0; k < 3; k++) sum += p[k] * p[k] + v[k] * v[k] + w[k] * w[k];
    }
    if (!(sum < 1e24)) exit(3);
    state_sum = sum;
}

static void need(int ok) {
    if (!ok) fprintf(stderr, "physics_baseline: bad scene\n"), exit(2);
}

static void read_numbers(double *to, int count) {
    for (int i = 0; i < count; i++) need(scanf("%lf", to + i) == 1);
}

static void set_rotation(dMatrix3 r, const double *nine) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) r[4 * i + k] = k < 3 ? nine[3 * i + k] : 0.0;
}

static void read_scene(void) {
    char word[32];
    double v[40];
    dMatrix3 r;
    while (scanf("%31s", word) == 1 && strcmp(word, "run")) {
        if (!strcmp(word, "world")) {
            read_numbers(v, 4);
            step_s = v[0], floor_height = v[1];
            dWorldSetGravity(world, 0, 0, v[2]);
            dWorldSetERP(world, 0.2), dWorldSetCFM(world, v[3]);
        } else if (!strcmp(word, "surface")) {
            read_numbers(v, 11);
            Surface *s = &surfaces[n_surfaces++];
            s->mu = v[0], s->erp = v[1], s->cfm = v[2], s->restitution = v[3], s->bounce_speed = v[4];
            s->bounce_erp = v[5], s->bounce_cfm = v[6], s->needs_velocity = v[7] != 0.0;
            s->most = v[8], s->root = v[9], s->least = v[10];
            fill(&s->stick, s, 0, 0), fill(&s->slide, s, 1, 0);
            fill(&s->bounce_stick, s, 0, 1), fill(&s->bounce_slide, s, 1, 1);
        } else if (!strcmp(word, "body")) {
            need(n_bodies < MOST);
            read_numbers(v, 22);
            dMass m;
            dMassSetParameters(&m, v[0], 0, 0, 0, v[1], v[5], v[9], v[2], v[3], v[6]);
            dBodyID b = bodies[n_bodies++] = dBodyCreate(world);
            dBodySetMass(b, &m);
            dBodySetPosition(b, v[10], v[11], v[12]);
            set_rotation(r, v + 13);
            dBodySetRotation(b, r);
            dBodySetFiniteRotationMode(b, 1);
        } else if (!strcmp(word, "wall")) {
            read_numbers(v, 15);
            Shape *s = &shapes[n_shapes++];
            s->geom = dCreateBox(still, v[0], v[1], v[2]);
            dGeomSetPosition(s->geom, v[3], v[4], v[5]);
            set_rotation(r, v + 6);
            dGeomSetRotation(s->geom, r);
            s->group = -1;
            dGeomSetData(s->geom, s);
        } else if (!strcmp(word, "hinge")) {
            read_numbers(v, 10);
            dJointID j = dJointCreateHinge(world, 0);
            dJointAttach(j, bodies[(int)v[0]], bodies[(int)v[1]]);
            dJointSetHingeAnchor(j, v[2], v[3], v[4]);
            dJointSetHingeAxis(j, v[5], v[6], v[7]);
            dJointSetHingeParam(j, dParamVel, v[8]);
            dJointSetHingeParam(j, dParamFMax, v[9]);
        } else if (!strcmp(word, "floor")) {
            Shape *s = &shapes[n_shapes++];
            floor_shape = s;
            s->geom = dCreatePlane(still, 0, 0, 1, floor_height);
            s->group = -1;
            dGeomSetCategoryBits(s->geom, 1), dGeomSetCollideBits(s->geom, 0);
            dGeomSetData(s->geom, s);
        } else if (!strcmp(word, "space")) {
            read_numbers(v, 2); /* group, number of shapes, then each shape */
            int group = (int)v[0], count = (int)v[1];
            dSpaceID space = count > 1 ? dSimpleSpaceCreate(0) : 0;
            dGeomID holder = (dGeomID)space;
            for (int i = 0; i < count; i++) {
                char word2[16];
                need(scanf("%15s", word2) == 1);
                read_numbers(v, 24); /* body, size 3, offset 3, rotation 9, extents 4, kind, column, surfaces 2 */
                Shape *s = rows[n_rows++] = &shapes[n_shapes++];
                need(n_shapes < MOST);
                s->geom = !strcmp(word2, "Box")      ? dCreateBox(0, v[1], v[2], v[3])
                          : !strcmp(word2, "Sphere") ? dCreateSphere(0, v[1])
                                                     : dCreateCylinder(0, v[1], v[2]);
                s->body = bodies[(int)v[0]], s->radius = v[1], s->group = group;
                memcpy(s->offset, v + 4, sizeof s->offset);
                memcpy(s->rotation, v + 7, sizeof s->rotation);
                memcpy(s->extent, v + 16, sizeof s->extent);
                s->kind = (int)v[20], s->column = (int)v[21];
                s->floor = &surfaces[(int)v[22]], s->other = &surfaces[(int)v[23]];
                dGeomSetBody(s->geom, s->body);
                dGeomSetOffsetPosition(s->geom, v[4], v[5], v[6]);
                set_rotation(r, v + 7);
                dGeomSetOffsetRotation(s->geom, r);
                dGeomSetData(s->geom, s);
                dGeomSetCategoryBits(s->geom, ~1ul), dGeomSetCollideBits(s->geom, ~1ul);
                if (space) dSpaceAdd(space, s->geom);
                else holder = s->geom;
            }
            if (space) dGeomSetData(holder, (void *)(long)group);
            dGeomSetCategoryBits(holder, ~1ul), dGeomSetCollideBits(holder, ~1ul);
            dSpaceAdd(moving, holder);
        } else {
            need(0);
        }
    }
}

int main(void) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world = dWorldCreate();
    still = dSimpleSpaceCreate(0), moving = dSimpleSpaceCreate(0);
    contacts = dJointGroupCreate(0);
    dGeomSetData((dGeomID)still, (void *)-1l);
    read_scene();
    double counts[3]; /* steps before measuring, steps in a round, rounds */
    read_numbers(counts, 3);
    for (int i = 0; i < (int)counts[0]; i++) one_step();
    for (int round = 0; round < (int)counts[2]; round++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < (int)counts[1]; i++) one_step();
        clock_gettime(CLOCK_MONOTONIC, &b);
        printf("%.6f\n", ((b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) * 1e-3) / counts[1]);
        fflush(stdout);
        char go[8]; /* rounds are started from outside, so that they can take turns with other engines */
        if (round + 1 < (int)counts[2] && scanf("%7s", go) != 1) break;
    }
    for (int i = 0; i < n_bodies; i++) {
        const dReal *p = dBodyGetPosition(bodies[i]);
        printf("%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    return 0;
}
