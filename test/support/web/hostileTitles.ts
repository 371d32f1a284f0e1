/** Titles and names by other users, made to run something or to break the page. */
export const HOSTILE_TITLES: readonly string[] = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '<script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  'javascript:alert(1)',
  "'-alert(1)-'",
  '{{constructor.constructor("alert(1)")()}}',
  '<iframe srcdoc="<script>parent.alert(1)</script>">',
  '<a href="javascript:alert(1)">click</a>',
  '<style>*{display:none}</style>',
  '<base href="https://example.org/">',
  '[x](javascript:alert(1)) ![x](x"onerror="alert(1))',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  // Bidirectional controls and joined marks.
  '\u202Edesrever\u202C and \u2067isolated',
  '\u200B\u200D\uFEFF invisible',
  `Z${'\u0300'.repeat(60)}algo`,
  'مرحبا بالعالم (אבג) 123',
  '👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀'.repeat(8),
  'W'.repeat(250),
  'an_address_without_any_place_to_break/'.repeat(6),
];
