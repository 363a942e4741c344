// Deals every sequence of six values, 0 to 9, with npm's baccarat-engine, and writes a byte for each: bit 0 and 1, a
// third card of the player and of the banker hand; from bit 2, 0 tie, 1 player, 2 banker. Run by TestOracle.
'use strict';

const {GameEngine, ResultsEngine} = (() => {
  const dir = process.argv[2] + '/node_modules/baccarat-engine/src/';
  return {GameEngine: require(dir + 'gameEngine/baccaratGameEngine.js'), ResultsEngine: require(dir + 'baccaratResultsEngine.js')};
})();

const faces = ['K', 'A', '2', '3', '4', '5', '6', '7', '8', '9'];
const game = new GameEngine();
const results = new ResultsEngine();
const out = Buffer.alloc(1e6);
for (let n = 0; n < 1e6; n++) {
  const values = String(n).padStart(6, '0');
  let next = 0;
  game.shoe = {draw: () => ({suit: 'heart', value: faces[values[next++]]})};
  const hand = game.dealGame();
  const outcome = ['tie', 'player', 'banker'].indexOf(results.calculateGameResult(hand).outcome);
  out[n] = (hand.playerCards.length - 2) | (hand.bankerCards.length - 2) << 1 | outcome << 2;
}
require('fs').writeSync(1, out);
