import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { eachScreen, WIDTHS } from '../../support/web/screens.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

for (const width of WIDTHS) {
  t.test(`WEB13 axe finds nothing to complain about on any screen, in either theme, ${width} px wide`, options, async (t) => {
    const world = await start();
    await eachScreen(t, world, width, async (t, { page }) => {
      t.strictSame(await violationsIn(page), []);
    });
  });
}
