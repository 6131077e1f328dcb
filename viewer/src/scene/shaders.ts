// GLSL of the three kinds of things on the stage: strokes of a width in pixels, points, translucent surfaces.

// Strokes: one quad per segment, widened on the screen.
export const stroke_vertex = `
precision highp float;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform vec2 screen;
uniform float near;
in vec3 position;
in vec3 from;
in vec3 to;
in float width;
in vec4 colour_from;
in vec4 colour_to;
out vec4 tint;
out float across;
out float half_width;
void main() {
  vec4 a = modelViewMatrix * vec4(from, 1.0);
  vec4 b = modelViewMatrix * vec4(to, 1.0);
  // What lies behind the eye is cut off at the near plane.
  if (near > 0.0) {
    if (a.z > -near && b.z < -near) a = mix(b, a, (b.z + near) / (b.z - a.z));
    else if (b.z > -near && a.z < -near) b = mix(a, b, (a.z + near) / (a.z - b.z));
  }
  vec4 p = projectionMatrix * a;
  vec4 q = projectionMatrix * b;
  vec2 p_screen = p.xy / p.w * screen;
  vec2 q_screen = q.xy / q.w * screen;
  vec2 along = q_screen - p_screen;
  float length_on_screen = length(along);
  along = length_on_screen > 1e-6 ? along / length_on_screen : vec2(1.0, 0.0);
  vec2 normal = vec2(-along.y, along.x);
  // One pixel more on each side for a soft edge; round joints by half a width at the ends.
  half_width = max(width, 1.0) * 0.5;
  float reach = half_width + 1.0;
  across = position.y * reach;
  vec4 here = position.x < 0.5 ? p : q;
  vec2 shift = normal * across + along * (position.x < 0.5 ? -0.4 : 0.4) * half_width;
  here.xy += shift / screen * here.w;
  tint = position.x < 0.5 ? colour_from : colour_to;
  tint.a *= min(1.0, width);
  gl_Position = here;
}`;

export const stroke_fragment = `
precision highp float;
in vec4 tint;
in float across;
in float half_width;
out vec4 colour;
void main() {
  float cover = clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
  float alpha = tint.a * cover;
  if (alpha < 0.004) discard;
  colour = vec4(tint.rgb * alpha, alpha);
}`;

// Points: quads that face the eye, shaded as balls, or drawn as rings or flat discs; depth is that of the ball's surface.
export const point_vertex = `
precision highp float;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform float pixel;
uniform float perspective;
uniform float least;
in vec3 position;
in vec3 centre;
in float radius;
in float look;
in vec4 tint_of_point;
out vec2 place;
out vec4 tint;
out float style;
out vec3 middle;
out float size;
out float pixels;
void main() {
  vec4 view = modelViewMatrix * vec4(centre, 1.0);
  float unit_pixel = perspective > 0.5 ? pixel * -view.z : pixel;
  size = max(radius, least * unit_pixel);
  pixels = size / unit_pixel;
  float margin = 1.0 + 1.5 / pixels;
  place = position.xy * margin;
  middle = view.xyz;
  tint = tint_of_point;
  style = look;
  gl_Position = projectionMatrix * vec4(view.xy + place * size, view.z, 1.0);
}`;

export const point_fragment = `
precision highp float;
uniform mat4 projectionMatrix;
uniform vec3 paper;
uniform float shade;
in vec2 place;
in vec4 tint;
in float style;
in vec3 middle;
in float size;
in float pixels;
out vec4 colour;
void main() {
  float far = length(place);
  float edge = clamp((1.0 - far) * pixels + 0.5, 0.0, 1.0);
  float alpha = tint.a * edge;
  vec3 rgb = tint.rgb;
  float height = sqrt(max(0.0, 1.0 - far * far));
  if (style > 1.5) {
    // A flat disc with a firm rim.
    float rim = clamp((far - 1.0) * pixels + 2.2, 0.0, 1.0);
    rgb = mix(mix(paper, tint.rgb, 0.62), tint.rgb, rim);
  } else if (style > 0.5) {
    float rim = clamp((far - 1.0) * pixels + 3.0, 0.0, 1.0);
    alpha *= rim;
    height = 0.0;
  } else {
    // A ball lit from above left, softly.
    vec3 normal = vec3(place, height);
    float light = dot(normal, normalize(vec3(-0.45, 0.65, 0.75)));
    rgb = mix(tint.rgb, tint.rgb * (0.62 + 0.5 * max(0.0, light)) + 0.16 * pow(max(0.0, light), 12.0), shade);
  }
  if (alpha < 0.004) discard;
  vec4 clip = projectionMatrix * vec4(middle.xy + place * size, middle.z + height * size, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  colour = vec4(rgb * alpha, alpha);
}`;

// Surfaces: thin as glass, denser where one looks along them.
export const surface_vertex = `
precision highp float;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform mat3 normalMatrix;
in vec3 position;
in vec3 normal;
out vec3 facing;
out vec3 sight;
void main() {
  vec4 view = modelViewMatrix * vec4(position, 1.0);
  facing = normalMatrix * normal;
  sight = view.xyz;
  gl_Position = projectionMatrix * view;
}`;

// The side of a body, lit from above left of the eye.
export const solid_fragment = `
precision highp float;
uniform vec3 tint;
uniform float opacity;
in vec3 facing;
in vec3 sight;
out vec4 colour;
void main() {
  vec3 n = normalize(facing);
  if (dot(n, sight) > 0.0) n = -n;
  float light = 0.62 + 0.38 * max(0.0, dot(n, normalize(vec3(-0.4, 0.7, 0.6))));
  colour = vec4(tint * light * opacity, opacity);
}`;

export const surface_fragment = `
precision highp float;
uniform vec3 tint;
uniform float opacity;
in vec3 facing;
in vec3 sight;
out vec4 colour;
void main() {
  float slant = 1.0 - abs(dot(normalize(facing), normalize(-sight)));
  float alpha = opacity * (0.55 + 1.6 * slant * slant * slant);
  colour = vec4(tint * alpha, alpha);
}`;
