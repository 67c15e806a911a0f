/**
 * npm run corpus: scores the registration rules against the websites of the corpus, rule by rule. With a folder,
 * writes the websites there instead, as files that the linter can read.
 */
import { CORPUS } from "../packages/server/testing/sites/corpus.ts";
import { scoreCorpus, scoreTable } from "../packages/server/testing/sites/score.ts";
import { writeCorpus } from "../packages/server/testing/sites/write.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  const { sites, rules, ms } = await scoreCorpus();
  for (const { site, found } of sites) {
    const missed = site.expected.filter((code) => !found.includes(code));
    const wrong = found.filter((code) => !site.expected.includes(code));
    if (missed.length + wrong.length > 0) {
      console.log(
        `${site.name}: missed ${missed.join(", ") || "nothing"}; wrongly found ${wrong.join(", ") || "nothing"}`,
      );
    }
  }
  console.log(scoreTable(rules));
  console.log(`${sites.length} websites, ${Math.round((sites.length / ms) * 1_000)} a second`);
  process.exitCode = rules.some(({ planted, found, wrong }) => found < planted || wrong > 0)
    ? 1
    : 0;
} else {
  writeCorpus(folder);
  console.log(`Wrote ${CORPUS.length} websites to ${folder}.`);
}
