// Time: where it stands, how fast it runs, whether it comes round again.
export class Player {
  time: number;
  // Where time was sent: a motion that is not there yet may come.
  private wanted: number;
  playing = false;
  loop = true;
  speed: number;
  // The rate at which a run is neither over at once nor endless; 1 (true time) wherever that is so.
  base = 1;
  span = 0;

  constructor(
    public begin: number,
    public end: number,
  ) {
    this.time = this.wanted = begin;
    this.speed = 1;
    this.set_range(begin, end);
    this.speed = this.base;
  }

  // Another run from `begin` to `end`: the time stays where it is, if it can, and the handle of the speed too.
  set_range(begin: number, end: number): void {
    const exponent = this.speed_exponent;
    this.begin = begin;
    this.end = end;
    this.span = Math.max(end - begin, 0);
    this.base = this.span > 0 && (this.span < 1.5 || this.span > 90) ? nice(this.span / 12) : 1;
    this.set_speed_exponent(exponent);
    this.seek(this.wanted);
  }

  seek(t: number): void {
    if (Number.isNaN(t)) return;
    this.wanted = t;
    this.time = Math.min(this.end, Math.max(this.begin, t));
  }

  // A position of the speed's handle, from -2 (a hundredth) to 2 (hundredfold).
  set_speed_exponent(exponent: number): void {
    this.speed = this.base * Math.pow(10, Math.min(2, Math.max(-2, exponent)));
  }
  get speed_exponent(): number {
    return Math.log10(this.speed / this.base);
  }

  // Let `seconds` of the clock pass; says whether the end was reached and playing stopped.
  advance(seconds: number): boolean {
    if (!this.playing || this.span === 0) return false;
    // A frame may carry a stamp from before the start was pressed.
    this.wanted = this.time += Math.max(seconds, 0) * this.speed;
    if (this.time < this.end) return false;
    if (this.loop) {
      this.wanted = this.time = this.begin + ((this.time - this.begin) % this.span);
      return false;
    }
    this.wanted = this.time = this.end;
    this.playing = false;
    return true;
  }
}

// The nearest of 1, 2, 5 times a power of ten.
function nice(value: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(value)));
  const share = value / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}
