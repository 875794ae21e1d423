// Ambient occlusion in viser's page, as in pictures (see `unseen.frag`). Before each picture two more are drawn: the
// depths of all shapes, and the part of the sky that each place sees. The shaders of `look.js` read the second.
(() => {
  if (window.odesimOcclusion) return;
  const LAYER = 29;  // of what is drawn in both, beside the layer of the camera
  const UNIFORMS = `
    uniform vec2 odesimSize;   // pixels
    uniform vec2 odesimLens;   // half the picture's width and height at depth 1
    uniform float odesimReach; // largest distance of occluders, m; 0: none
    vec3 odesimPlace(vec2 pixel, float depth) { return depth * vec3((2.0 * pixel / odesimSize - 1.0) * odesimLens, -1.0); }
  `;
  const DEPTHS = `  // normal in the axes of the camera, depth in m
    float odesimDepth = 1.0 / gl_FragCoord.w;
    vec3 odesimAt = odesimPlace(gl_FragCoord.xy, odesimDepth);
    gl_FragColor = vec4(normalize(cross(dFdx(odesimAt), dFdy(odesimAt))), odesimDepth);
  `;
  // Part of the sky above a place that nearby shapes leave open (Jimenez, Wu, Pesce, Jarabo: Practical real-time
  // strategies for accurate indirect occlusion, 2016); each of 4 x 4 pixels looks in other directions.
  const OPEN = UNIFORMS + `
    uniform sampler2D odesimDepths;
    float odesimArc(float h, float g) { return 0.25 * (cos(g) - cos(2.0 * h - g) + 2.0 * h * sin(g)); }
    float odesimOpen(vec3 p, vec3 n) {
      float scale = 0.5 * odesimSize.x / (odesimLens.x * -p.z), reach = min(odesimReach * scale, 0.15 * odesimSize.x);
      if (reach < 1.5) return 1.0;
      int cell = (int(gl_FragCoord.x) & 3) + 4 * (int(gl_FragCoord.y) & 3);
      float turn = (float((cell * 7) & 15) + 0.5) / 16.0, shift = (float((cell * 11 + 5) & 15) + 0.5) / 16.0;
      float radius = reach / scale, sum = 0.0;
      vec3 v = -normalize(p);
      for (int k = 0; k < 2; ++k) {
        float angle = (float(k) + turn) * 1.57079633;
        vec2 way = vec2(cos(angle), sin(angle));
        vec3 t = normalize(vec3(way, 0.0) - v * dot(vec3(way, 0.0), v)), axis = cross(t, v), flatN = n - axis * dot(n, axis);
        float part = length(flatN);
        float g = sign(dot(flatN, t)) * acos(clamp(dot(flatN, v) / max(part, 1e-6), -1.0, 1.0)), edge = sin(g);
        vec2 horizon = vec2(edge, -edge);
        for (int s = 0; s < 4; ++s) {
          float far = (float(s) + shift) / 4.0, step = 1.0 + far * far * reach;
          for (int side = 0; side < 2; ++side) {
            vec2 at = floor(clamp(gl_FragCoord.xy + (side == 0 ? -step : step) * way, vec2(0.0), odesimSize - 1.0)) + 0.5;
            float there = texelFetch(odesimDepths, ivec2(at), 0).w, low = side == 0 ? edge : -edge;
            vec3 off = odesimPlace(at, there) - p;
            float gap = max(length(off), 1e-6), fade = there > 0.0 ? clamp(2.0 - 2.0 * gap / radius, 0.0, 1.0) : 0.0;
            horizon[side] = max(horizon[side], mix(low, dot(off, v) / gap, fade));
          }
        }
        sum += 0.5 * part * (odesimArc(-acos(clamp(horizon.x, -1.0, 1.0)), g) + odesimArc(acos(clamp(horizon.y, -1.0, 1.0)), g));
      }
      return clamp(sum, 0.0, 1.0);
    }
  `;
  const OPEN_HERE = `
    vec4 odesimSurface = texelFetch(odesimDepths, ivec2(gl_FragCoord.xy), 0);
    float odesimPart = odesimSurface.w > 0.0 ? odesimOpen(odesimPlace(gl_FragCoord.xy, odesimSurface.w), odesimSurface.xyz) : 1.0;
    gl_FragColor = vec4(odesimPart, 0.0, 0.0, odesimSurface.w);
  `;
  const CODE = UNIFORMS + `
    uniform sampler2D odesimParts;
    float odesimFreeSky(float depth) {  // mean of the 4 x 4 pixels around this one that show the same surface
      if (odesimReach <= 0.0) return 1.0;
      vec2 sum = vec2(0.0);
      for (int k = 0; k < 16; ++k) {
        ivec2 at = clamp(ivec2(gl_FragCoord.xy) + ivec2(k & 3, k >> 2) - 2, ivec2(0), ivec2(odesimSize) - 1);
        vec4 found = texelFetch(odesimParts, at, 0);
        sum += abs(found.w - depth) < 0.02 * depth ? vec2(found.r, 1.0) : vec2(0.0);
      }
      return sum.y > 0.0 ? sum.x / sum.y : 1.0;
    }
  `;
  const uniforms = {odesimSize: {value: [1, 1]}, odesimLens: {value: [1, 1]}, odesimReach: {value: 0},
    odesimDepths: {value: null}, odesimParts: {value: null}};
  let targets = null, depths = null, screen = null;

  // Classes of three.js come from existing objects: the target from a shadow, the material from viser's axes.
  const prepare = (scene) => {
    let Target = null, axes = null;
    scene.traverse((object) => {
      if (object.isLight && object.shadow?.map) Target ??= object.shadow.map.constructor;
      if (object.isInstancedMesh && object.material.isMeshBasicMaterial) axes ??= object;
    });
    if (!Target || !axes) return false;
    const shader = (name, head, code) => {
      const material = new axes.material.constructor({side: 2, toneMapped: false, fog: false});
      material.onBeforeCompile = (made) => {
        Object.assign(made.uniforms, uniforms);
        made.fragmentShader = head + made.fragmentShader.replace('#include <dithering_fragment>', code);
        if (name === 'parts') made.vertexShader = made.vertexShader.replace('#include <project_vertex>',
          '#include <project_vertex>\ngl_Position = vec4(position.xy, 0.5, 1.0);');
      };
      material.customProgramCacheKey = () => 'odesim-' + name;
      return material;
    };
    const plain = {type: 1015, minFilter: 1003, magFilter: 1003};  // float, nearest
    targets = [new Target(1, 1, plain), new Target(1, 1, plain)];
    depths = shader('depths', UNIFORMS, DEPTHS);
    const Mesh = Object.getPrototypeOf(axes.constructor), {attributes} = axes.geometry;
    const triangle = new axes.geometry.constructor();
    for (const name in triangle.attributes) triangle.deleteAttribute(name);
    triangle.setIndex(null);
    triangle.setAttribute('position', new attributes.position.constructor(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    screen = new Mesh(triangle, shader('parts', OPEN, OPEN_HERE));
    Object.assign(screen.material, {depthTest: false, depthWrite: false});
    screen.frustumCulled = false;
    return true;
  };
  const draw = (renderer, scene, camera) => {
    const {width, height} = renderer.domElement, {elements} = camera.projectionMatrix;
    for (const target of targets) if (target.width !== width || target.height !== height) target.setSize(width, height);
    uniforms.odesimSize.value = [width, height];
    uniforms.odesimLens.value = [1 / elements[0], 1 / elements[5]];
    const before = [renderer.getRenderTarget(), scene.background, camera.layers.mask, renderer.shadowMap.autoUpdate];
    [scene.background, scene.overrideMaterial, renderer.shadowMap.autoUpdate] = [null, depths, false];
    camera.layers.set(LAYER);
    renderer.setRenderTarget(targets[0]);
    renderer.clear();
    renderer.render(scene, camera);
    [scene.background, scene.overrideMaterial, camera.layers.mask] = [before[1], null, before[2]];
    uniforms.odesimDepths.value = targets[0].texture;
    renderer.setRenderTarget(targets[1]);
    renderer.render(screen, camera);
    uniforms.odesimParts.value = targets[1].texture;
    renderer.setRenderTarget(before[0]);
    renderer.shadowMap.autoUpdate = before[3];
  };
  window.odesimOcclusion = {
    code: CODE, uniforms, layer: LAYER,
    // Sets the largest distance of occluders, m; 0: none. Returns whether occlusion is drawn from now on.
    use: (scene, reach) => {
      uniforms.odesimReach.value = reach > 0 && (screen || prepare(scene)) ? reach : 0;
      return uniforms.odesimReach.value > 0;
    },
    draw: (...given) => { if (uniforms.odesimReach.value > 0) draw(...given); },
  };
})();
