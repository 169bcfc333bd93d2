/** The tables of all parts, joined. */
import type { BackupGroup } from "../../modules/api/backup-group.js";
import type { Operation } from "../../modules/api/route.js";
import { PARTS } from "../../modules/app/parts.js";

export const ROUTES: readonly Operation[] = PARTS.flatMap(({ routes }) => routes);
export const BACKUP_GROUPS: readonly BackupGroup[] = PARTS.flatMap(({ backup }) => backup);
