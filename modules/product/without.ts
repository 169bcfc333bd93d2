/**
 * Names of the parts and meter protocols that this firmware was built without (tools/sdk/omissions.ts), separated by
 * blanks. The build of such a firmware replaces this file. In a full firmware the string is empty, and the build drops
 * code that depends on `WITHOUT !== ""`.
 */
export const WITHOUT: string = "";
