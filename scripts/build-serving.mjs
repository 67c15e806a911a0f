// Installs and builds everything that serving needs: for images and units.
import { prepareServing } from "./prepare-serving.mjs";

await prepareServing();
