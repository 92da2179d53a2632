// Light and dark, in the picture as on the page.

export type ThemeName = "light" | "dark";

export interface Theme {
  name: ThemeName;
  sky: number;
  ground: number; // colour of static bodies
  grid: number;
  hemisphere: [number, number, number]; // from above, from below, strength
  sun: number;
  bodies: number[];
  stick: number;
  slip: number;
  open: number;
  normal: number;
  penetration: number;
  bounds: number;
  joint: number;
  centre: number;
  cone: number;
  asleep: number;
  select: number;
  drag: number;
  axis: string; // of plots
  faint: string;
  lines: string[];
}

const bodies = [0x5a9fe6, 0xf0906a, 0x66c2ad, 0xf6c063, 0xab93e4, 0xe67fa1, 0x7cc5e4, 0xb6c67c];

export const themes: Record<ThemeName, Theme> = {
  light: {
    name: "light", sky: 0xe9eef4, ground: 0xd3dae2, grid: 0xb3bec9,
    hemisphere: [0xffffff, 0xd5d9df, 2.3], sun: 2.6, bodies,
    stick: 0x0f8b6d, slip: 0xe0531f, open: 0x8793a1, normal: 0x5a48c8, penetration: 0xd0103a,
    bounds: 0x3d6ea8, joint: 0xb4229c, centre: 0x1b2530, cone: 0x0f8b6d, asleep: 0xaab4bf,
    select: 0x0b62d6, drag: 0x0b62d6, axis: "#54606d", faint: "#00000014",
    lines: ["#2f7fd1", "#e0682f", "#168a6c", "#8a63d2", "#c2185b", "#8d6e00", "#00838f", "#6d7b88", "#b5179e"],
  },
  dark: {
    name: "dark", sky: 0x14181e, ground: 0x5a626d, grid: 0x7c8591,
    hemisphere: [0xf0f4fa, 0x5c636e, 2.0], sun: 2.2, bodies,
    stick: 0x3fe0b0, slip: 0xff8a4c, open: 0x7c8896, normal: 0xa898ff, penetration: 0xff4d6d,
    bounds: 0x6fa8e8, joint: 0xf07be0, centre: 0xffffff, cone: 0x3fe0b0, asleep: 0x4a545f,
    select: 0x5aa9ff, drag: 0x5aa9ff, axis: "#9aa7b5", faint: "#ffffff14",
    lines: ["#5aa9ff", "#ff9a62", "#3fe0b0", "#b79cff", "#ff6f9c", "#e3c14a", "#4dd0e1", "#94a3b3", "#f07be0"],
  },
};

const key = "msd-view-theme";

export function initialTheme(): ThemeName {
  const asked = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem(key);
  if (asked === "light" || asked === "dark") return asked;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function keepTheme(name: ThemeName): void {
  localStorage.setItem(key, name);
}
