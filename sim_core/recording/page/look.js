// Appearance of a world in viser's page: film, light and shadows as in the pictures of the renderer, and motion
// between two messages. Used by the viewer and by animations; classes of three.js are taken from existing
// objects, as viser's page exports no module.
//
// window.odesimLook(surround): sets the surroundings of the world (see `page_surroundings.py`).
// window.odesimMove(names, poses, second): sets the poses of nodes at a time of the page, in s; poses as (x, y, z, w, x, y, z).
(() => {
  if (window.odesimLook) return;
  // Fog hides the more, the farther away; its kinds are those of sky_and_fog.py, its equations those of shaders.py.
  const FILM = `
    if (odesimFog > 0.0) {
      float odesimFar = length(vViewPosition) / odesimSight;
      float odesimClear = odesimFog < 1.5 ? max(1.0 - odesimFar, 0.0) : exp(-odesimFar * (odesimFog < 2.5 ? 1.0 : odesimFar));
      gl_FragColor.rgb = mix(gl_FragColor.rgb * odesimBalance, odesimMist, pow(1.0 - odesimClear, 2.2)) / odesimBalance;
    }
    gl_FragColor.rgb = pow(max(1.0 - exp(-odesimExposure * odesimBalance * gl_FragColor.rgb), 0.0), vec3(1.0 / 2.2));
  `;
  // Ambient light, weaker from below, and light reflected by the ground, as in environment.py; up is y here.
  const AROUND = `
    vec3 odesimNormal = inverseTransformDirection(normal, viewMatrix);
    vec3 odesimMirrored = inverseTransformDirection(reflect(-normalize(vViewPosition), normal), viewMatrix);
    float odesimUp = 0.5 + 0.5 * odesimNormal.y, odesimFree = odesimSolid > 0.5 ? odesimFreeSky(vViewPosition.z) : 1.0;
    float odesimSky = clamp(0.5 + 0.5 * odesimMirrored.y / (0.08 + material.roughness), 0.0, 1.0);
    reflectedLight.directDiffuse *= odesimKept;
    reflectedLight.indirectDiffuse += odesimKept * material.diffuseColor
      * (odesimEven * mix(odesimGround, 1.0, odesimUp) + odesimBounce * (1.0 - odesimUp));
    // reflection of a rough surface (Karis: Physically based shading on mobile, 2014)
    vec4 odesimRough = material.roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float odesimFacing = clamp(dot(normal, normalize(vViewPosition)), 0.0, 1.0);
    float odesimEdge = min(odesimRough.x * odesimRough.x, exp2(-9.28 * odesimFacing)) * odesimRough.x + odesimRough.y;
    vec2 odesimMirrors = vec2(-1.04, 1.04) * odesimEdge + odesimRough.zw;
    reflectedLight.indirectSpecular += odesimEven * mix(odesimGround, 1.0, odesimSky)
      * max(material.specularColor * odesimMirrors.x + odesimMirrors.y, 0.0);
    reflectedLight.indirectDiffuse *= odesimFree;
    reflectedLight.indirectSpecular *= odesimFree;
    totalEmissiveRadiance *= mix(1.0, odesimFree, odesimShaded);
  `;
  const UNIFORMS = {exposure: 'float', balance: 'vec3', even: 'vec3', ground: 'float', bounce: 'vec3', kept: 'float',
    shaded: 'float', solid: 'float', fog: 'float', sight: 'float', mist: 'vec3'};
  let surround = null, fresh = false, even = null, strength = 0, Texture = null;
  const shared = () => window.__viserMutable;
  const root = () => shared()?.scene?.__r3f?.root?.getState?.();
  const nodes = () => shared()?.nodeRefFromName ?? {};
  const say = (material, key) => { try { return JSON.parse(material.name)[key]; } catch { return undefined; } };

  // Without a graphics card, environment and occlusion cost more than all the rest, and 60 pictures a second
  // would leave the simulation no processor: then they are used if chosen, and motion has ten pictures a second.
  let isFrugal = null, drawn = 0;
  const frugal = () => {
    if (isFrugal === null) {
      const context = root()?.gl?.getContext?.();
      if (!context) return false;
      const told = context.getExtension('WEBGL_debug_renderer_info');
      isFrugal = /swiftshader|llvmpipe|software/i.test(told ? context.getParameter(told.UNMASKED_RENDERER_WEBGL) : '');
    }
    return isFrugal;
  };

  // ---- quality, kept by the browser: pixels of the picture per pixel of the screen, pixels along a shadow's
  // map (0: no shadows), and whether surfaces reflect their environment and corners are darker
  const own = window.devicePixelRatio, least = Math.min(own, 1);
  const QUALITIES = {low: [0.6 * least, 0, false], medium: [least, 1024, false], high: [own, 2048, true]};
  let chosen = localStorage.getItem('odesim quality'), ratio = 0, occludes = false;
  const quality = () => QUALITIES[chosen] ? chosen : frugal() ? 'medium' : 'high';
  const refresh = () => { if (surround) [surround.stamp, fresh] = [surround.stamp + 1, true]; };
  window.odesimQuality = (name) => {
    if (name && name !== chosen) {
      localStorage.setItem('odesim quality', chosen = name);
      refresh();
    }
    return quality();
  };
  const reflects = () => QUALITIES[quality()][2];
  const occlude = (scene) => {
    const now = window.odesimOcclusion.use(scene, reflects() ? surround.occlusion : 0);
    if (now !== occludes) refresh();
    occludes = now;
  };
  const scale = (state) => {
    const wanted = QUALITIES[quality()][0];
    if (ratio === wanted || !state.setDpr || (!ratio && wanted === own)) return;
    state.setDpr(ratio = wanted);
    shared().requestRender();
  };

  // ---- surfaces
  const dress = (mesh) => {
    const material = mesh.material;
    if (!material?.name?.startsWith('{"base"')) return false;
    const told = JSON.parse(material.name);
    mesh.castShadow = told.casts;
    mesh.receiveShadow = true;
    if (!material.userData.dressed) {
      material.userData.dressed = told;
      material.onBeforeCompile = (shader) => {
        let declared = '';
        for (const [key, kind] of Object.entries(UNIFORMS)) {
          const name = `odesim${key[0].toUpperCase()}${key.slice(1)}`;
          shader.uniforms[name] = material.userData[key];
          declared += `uniform ${kind} ${name};\n`;
        }
        Object.assign(shader.uniforms, window.odesimOcclusion.uniforms);
        shader.fragmentShader = declared + window.odesimOcclusion.code + shader.fragmentShader
          .replace('#include <lights_fragment_end>', '#include <lights_fragment_end>' + AROUND)
          .replace('#include <tonemapping_fragment>', FILM)
          .replace('#include <colorspace_fragment>', '');
      };
      material.customProgramCacheKey = () => 'odesim';
      for (const key in UNIFORMS) material.userData[key] = {value: UNIFORMS[key] === 'float' ? 1 : [0, 0, 0]};
      material.toneMapped = false;
      material.shadowSide = 2;  // a face is seen from its front alone, and casts its shadow in any case
      const grow = told.phong ? Math.PI : 1;  // three.js divides by π, a Material does not
      material.color.setRGB(...told.base.map((part) => part * grow));
      material.emissiveIntensity = 1;
      const written = (map) => { if (map) { map.colorSpace = ''; map.needsUpdate = true; } };
      if (told.linear.includes('EMISSIVE')) written(material.emissiveMap);
      if (told.linear.includes('BASE')) written(material.map);
      for (const map of [material.map, material.normalMap]) if (map) map.anisotropy = 8;
      if (told.phong && material.map) material.emissiveMap = material.map;
      material.needsUpdate = true;
    }
    const data = material.userData;
    data.kept.value = told.phong ? 1 : 0.96;  // the rest is reflected
    for (const key of ['balance', 'ground', 'bounce']) data[key].value = surround[key];
    data.exposure.value = surround.exposure * (occludes ? 1 : surround.open);
    data.solid.value = material.opacity === 1 ? 1 : 0;  // what is transparent has no depth
    if (data.solid.value && mesh.layers.isEnabled(0)) mesh.layers.enable(window.odesimOcclusion.layer);
    const [fog, sight, ...mist] = surround.fog;
    [data.fog.value, data.sight.value, data.mist.value] = [fog, Math.max(sight, 1e-6), mist];
    const ambient = told.phong ? told.ambient.map((part, k) => part * surround.ambient[k]) : [0, 0, 0];
    const [shade, all] = [ambient, told.emitted.map((part, k) => part + ambient[k])].map((each) => Math.max(...each));
    data.shaded.value = shade / Math.max(all, 1e-9);
    material.emissive.setRGB(...told.emitted.map((part, k) => part + ambient[k]));
    material.envMap = reflects() ? even : null;
    data.even.value = reflects() ? [0, 0, 0] : surround.around.map((part) => part * told.ibl);
    material.envMapIntensity = told.ibl * strength;
    return true;
  };

  // ---- ambient light: a picture of one colour, darker below, or that of the sky
  let sky = '', around = '';
  const findTexture = (scene) => {
    scene.traverse((object) => {
      const found = object.material?.map;
      if (!Texture && found?.isTexture) Texture = found.constructor;
    });
    return Texture;
  };
  const panorama = (image, isWritten) => {
    const texture = new Texture(image);
    texture.mapping = 303;  // equirectangular
    texture.colorSpace = isWritten ? 'srgb' : '';
    texture.needsUpdate = true;
    return texture;
  };
  const plain = (colour, ground) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [64, 32];
    const brush = canvas.getContext('2d');
    for (const [part, top] of [[1, 0], [ground, 16]]) {
      brush.fillStyle = `rgb(${colour.map((each) => Math.round(255 * part * each)).join()})`;
      brush.fillRect(0, top, 64, 16);
    }
    return canvas;
  };
  // The colour of the sky from 30° up, lighter towards the horizon, darker at the zenith, greyer below.
  const heavens = (colour) => {
    const grey = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2];
    const mixed = (other, part) => colour.map((each) => each + part * (other(each) - each));
    const haze = mixed((each) => each + (1 - each) * grey, 0.22), ground = mixed(() => 0.92 * grey, 0.5);
    const stops = [[90, mixed(() => 0, 0.08)], [30, colour], [0.4, haze], [-0.4, ground], [-90, ground]];
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1024, 512];  // as many rows as a side of the cube that is made of it
    const brush = canvas.getContext('2d'), ramp = brush.createLinearGradient(0, 0, 0, canvas.height);
    for (const [degrees, shade] of stops)
      ramp.addColorStop((90 - degrees) / 180, `rgb(${shade.map((each) => Math.round(255 * each)).join()})`);
    brush.fillStyle = ramp;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    return canvas;
  };
  const shine = (scene, state) => {
    const key = [...surround.around, surround.ground, surround.picture.length].join();
    if (key !== around && findTexture(scene)) {
      around = key;
      strength = Math.max(...surround.around, 1e-6);
      even = panorama(plain(surround.around.map((part) => part / strength), surround.ground), false);
      surround.stamp += 1;  // updates all surfaces
    }
    const behind = surround.picture || surround.sky.join();
    if (behind === sky || !findTexture(scene)) return;
    sky = behind;
    const show = (image) => {
      const [w, x, y, z] = window.__viserSceneTree?.getState?.()['']?.wxyz ?? [0.5, -0.5, 0.5, 0.5];
      scene.background = panorama(image, true);  // its middle is along x of the world, its upper side is up
      scene.backgroundRotation.set(0, Math.atan2(2 * (w * y - x * z), 1 - 2 * (y * y + z * z)), 0);
      state.invalidate();
    };
    if (!surround.picture) return show(heavens(surround.sky));
    const image = new Image();
    image.onload = () => show(image);
    image.src = surround.picture;
  };

  // ---- shadows: of lights with the suffix in their name, sharp around the point that the camera looks at
  let seen = null;
  const cast = (state) => {
    const control = shared().cameraControl, camera = shared().camera;
    if (!control || !camera) return;
    const spot = camera.position.clone();
    control.getTarget(spot);
    const low = surround.low, high = surround.high;
    const extent = 0.5 * Math.hypot(...high.map((part, k) => part - low[k])) + 1e-3;
    const away = camera.position.distanceTo(spot) * (camera.fov < 3 ? camera.fov / 75 : 1);
    const reach = Math.min(extent, Math.max(1.6 * away, 0.3));
    const moved = !seen || spot.distanceTo(seen.spot) > 0.25 * seen.reach || Math.abs(reach / seen.reach - 1) > 0.25;
    if (moved) seen = {spot, reach};
    for (const name in nodes()) {
      if (!/^\/light\d+_shadow$/.test(name) || !nodes()[name]) continue;
      nodes()[name].traverse((light) => {
        if (!light.isLight) return;
        const shadow = light.shadow, size = QUALITIES[quality()][1];
        if (!size) return void (light.castShadow = false);
        if (!light.castShadow || shadow.mapSize.width !== size) {
          light.castShadow = true;
          shadow.mapSize.set(size, size);
          shadow.radius = light.isDirectionalLight ? 2.5 : 4;
          shadow.bias = 0;  // its sign depends on the depth buffer; that of normalBias does not
          shadow.normalBias = 0.02;
          shadow.map?.dispose();
          shadow.map = null;
          light.userData.at = null;
        }
        if (!light.isDirectionalLight) return;
        const holder = light.parent, from = holder.getWorldPosition(camera.position.clone()), distance = from.length();
        const key = [...seen.spot.toArray(), ...from.toArray(), seen.reach, extent].join();
        if (light.userData.at === key || distance < 1) return;  // it has no final position yet
        light.userData.at = key;
        // the light looks at the camera's target, in its direction from the middle of the world
        light.position.copy(holder.worldToLocal(from.clone().add(seen.spot)));
        light.target.position.copy(seen.spot);
        light.target.updateMatrixWorld();
        Object.assign(shadow.camera, {left: -seen.reach, right: seen.reach, top: seen.reach, bottom: -seen.reach,
          near: Math.max(distance - 2.5 * extent, 0.1), far: distance + 2.5 * extent});
        shadow.normalBias = 4 * seen.reach / size;
        shadow.camera.updateProjectionMatrix();
      });
    }
  };

  // ---- motion: interpolated between the two latest messages, delayed by their interval
  let before = null, latest = null, still = true;
  const turnTo = (object, a, b, part) => {
    const [p, q] = [object.position, object.quaternion];
    p.set(a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part);
    const sign = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
    const mixed = [3, 4, 5, 6].map((k) => a[k] * (1 - part) + sign * b[k] * part);
    q.set(mixed[1], mixed[2], mixed[3], mixed[0]).normalize();
  };
  const move = () => {
    if (!latest || (still && !fresh)) return false;
    const now = performance.now() / 1000, span = latest.span;
    if (frugal() && now < drawn + 0.1) return false;
    drawn = now;
    const part = before && before.names === latest.names ? Math.min(1, (now - latest.at) / span) : 1;
    const from = part < 1 ? before.shown : latest.poses;
    const shown = part < 1 ? new Float32Array(latest.poses.length) : latest.poses;
    const all = nodes();
    for (let k = 0; k < latest.names.length; ++k) {
      const b = latest.poses.subarray(7 * k, 7 * k + 7), a = from.subarray(7 * k, 7 * k + 7);
      const object = all[latest.names[k]];
      if (object) {
        turnTo(object, a, b, part);
        if (part < 1) {
          const {position: p, quaternion: q} = object;
          shown.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z], 7 * k);
        }
      } else shown.set(b, 7 * k);
    }
    latest.shown = shown;
    still = part >= 1;
    return true;
  };
  window.odesimMove = (names, poses) => {
    const at = performance.now() / 1000;
    const same = latest && latest.key === names.join() && latest.poses.length === poses.length;
    const span = same ? Math.min(Math.max(at - latest.at, 0.02), 0.5) : 0.05;
    before = latest;
    // where the nodes are by now; they may have been drawn last long before, if pictures are rarer than messages
    const shown = !latest ? poses : at - latest.at < latest.span ? latest.shown : latest.poses;
    latest = {names: same ? latest.names : names, key: names.join(), poses, at, shown,
      span: same ? 0.7 * latest.span + 0.3 * span : span};
    if (before) before = {names: before.names, shown};
    still = false;
  };
  window.odesimStill = () => still;

  // ---- each frame of the browser
  let next = 0;
  const look = () => {
    requestAnimationFrame(look);
    const state = root();
    if (!state || !shared().scene) return;
    let changed = move();
    if (surround) {
      const now = performance.now();
      if (now > next || fresh) {
        next = now + 200;
        let many = 0;
        shine(state.scene, state);
        occlude(state.scene);
        state.scene.onBeforeRender = (...given) => {
          if (state.scene.overrideMaterial) return;  // the picture of depths is part of another
          window.odesimBatches?.(...given);
          window.odesimOcclusion.draw(...given);
        };
        const key = surround.stamp, own = new Set(Object.values(nodes()));
        state.scene.traverse((object) => {
          if (object.isLight && !own.has(object) && !own.has(object.parent)) object.visible = false;  // a light of viser's own
          const material = object.isMesh && object.material;
          if (!material || object.userData.stamp === key || !dress(object)) return;  // meshes may share a material
          object.userData.stamp = key;
          many += 1;
        });
        changed ||= many > 0 || fresh;
        fresh = false;
      }
      cast(state);
      scale(state);
    }
    if (changed) shared().requestRender();
  };
  let last = '';
  window.odesimLook = (told) => {
    const text = JSON.stringify(told);
    if (text === last) return;
    last = text;
    surround = {...told, stamp: (surround?.stamp ?? 0) + 1};
    fresh = true;
  };
  window.odesimBounds = () => surround && [surround.low, surround.high];
  window.odesimIsLit = () => !!surround && !fresh && !!root()?.scene?.background;
  look();
})();
