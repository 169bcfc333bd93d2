/**
 * A worker that compresses files by Zopfli, 4 % smaller than zlib's best: it is given their contents, and posts their gzip.
 * In a thread of its own, since that package puts handlers for errors on the process that loads it.
 */
import { parentPort, workerData } from "node:worker_threads";
import { gzipAsync } from "@gfx/zopfli";

const contents: readonly Uint8Array[] = workerData;
parentPort?.postMessage(await Promise.all(contents.map((content) => gzipAsync(content, { numiterations: 5 }))));
