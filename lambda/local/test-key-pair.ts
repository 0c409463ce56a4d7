/**
 * The key pair that `--auth iam` accepts. It is printed for everybody to use and opens nothing but a local stack: it
 * stands for "signed", not for "secret".
 */
export const testKeyPair = {
  accessKeyId: 'AKIDHOLDFASTLOCAL',
  secretAccessKey: 'holdfast-local-test-secret-not-for-aws',
} as const;

/** Whom the gateway names to the functions when a request is signed with the test key pair. */
export const testIdentity = {
  accessKey: testKeyPair.accessKeyId,
  accountId: '000000000000',
  callerId: 'AIDAHOLDFASTLOCAL',
  cognitoIdentity: null,
  principalOrgId: 'o-holdfastlocal',
  userArn: 'arn:aws:iam::000000000000:user/holdfast-local',
  userId: 'AIDAHOLDFASTLOCAL',
} as const;

export type IamIdentity = typeof testIdentity;
