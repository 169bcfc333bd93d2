/** Version and time of a release, derived from its commit. */
import { spawnSync } from "node:child_process";

export interface Version {
	/**
	 * `1.2.3` for a commit with the tag v1.2.3, otherwise `1.2.3-dev.<commit>`. `.dirty` is added if files were changed.
	 */
	readonly version: string;
	readonly buildNumber: number;
	/** Time of the commit, or $SOURCE_DATE_EPOCH. */
	readonly builtUtcMs: number;
	/** True if there are uncommitted changes. The build cannot be reproduced then. */
	readonly isDirty: boolean;
}

export function versionOf(root: string, version: string, environment: NodeJS.ProcessEnv = process.env): Version {
	const [, third] = /^\d+\.\d+\.(\d+)$/.exec(version) ?? [];
	if (third === undefined) throw new Error(`The version in package.json, "${version}", is not three numbers.`);
	const git = (...args: string[]) => {
		const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
		if (status === 0) return stdout.trim();
		throw new Error("A release is made from a commit: this folder is not a git checkout, or it has no commit yet.");
	};
	const commit = git("rev-parse", "--short=8", "HEAD");
	const tags = git("tag", "--points-at", "HEAD")
		.split("\n")
		.filter((tag) => /^v\d/.test(tag));
	const isDirty = git("status", "--porcelain") !== "";
	const isRelease = tags.includes(`v${version}`);
	if (tags.length > 0 && !isRelease)
		throw new Error(`The commit has the tag ${tags[0]}, but package.json has the version ${version}: make them equal.`);
	const suffix = isRelease ? (isDirty ? "-dirty" : "") : `-dev.${commit}${isDirty ? ".dirty" : ""}`;
	const { SOURCE_DATE_EPOCH: epoch } = environment;
	const seconds = Number(epoch || git("log", "-1", "--format=%ct"));
	if (!Number.isInteger(seconds)) throw new Error(`$SOURCE_DATE_EPOCH is seconds since 1970, not "${epoch}".`);
	return { version: version + suffix, buildNumber: Number(third), builtUtcMs: seconds * 1000, isDirty };
}
