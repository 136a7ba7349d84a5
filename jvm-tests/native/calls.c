/*
 * A test's agent: at each allocation of one thread it calls methods, by each kind of JNI function.
 * The arguments are more than registers hold.
 */
#include <jvmti.h>
#include <stdarg.h>

#define ARGUMENTS 1, (jlong)2, 3.0, 4.0, 5, (jlong)6, 7, (jlong)8, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15, 16.0
#define DESCRIPTOR "(IJDFIJIJDDDDDDIF)D"

static jthread caller;
static jclass called;
static jmethodID by_class, by_object, constructor;

static jdouble by_list(JNIEnv *jni, jclass class, jmethodID method, ...) {
    va_list list;
    va_start(list, method);
    jdouble result = (*jni)->CallStaticDoubleMethodV(jni, class, method, list);
    va_end(list);
    return result;
}

/* 1 to 16, each times its place. */
static void expect(JNIEnv *jni, jdouble found) {
    if (found != 1496) (*jni)->FatalError(jni, "arguments were not passed on");
}

static void JNICALL allocated(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size) {
    void *busy = NULL;
    /* Not while a method that was called here allocates. */
    if (!(*jni)->IsSameObject(jni, thread, caller) || (*jvmti)->GetThreadLocalStorage(jvmti, NULL, &busy) != 0 || busy != NULL) return;
    (*jvmti)->SetThreadLocalStorage(jvmti, NULL, &busy);
    jvalue array[] = {{.i = 1}, {.j = 2}, {.d = 3}, {.f = 4}, {.i = 5}, {.j = 6}, {.i = 7}, {.j = 8}, {.d = 9}, {.d = 10},
                      {.d = 11}, {.d = 12}, {.d = 13}, {.d = 14}, {.i = 15}, {.f = 16}};
    expect(jni, (*jni)->CallStaticDoubleMethod(jni, called, by_class, ARGUMENTS));
    expect(jni, by_list(jni, called, by_class, ARGUMENTS));
    expect(jni, (*jni)->CallStaticDoubleMethodA(jni, called, by_class, array));
    jobject made = (*jni)->NewObject(jni, called, constructor, ARGUMENTS);
    expect(jni, (*jni)->CallDoubleMethod(jni, made, by_object, ARGUMENTS));
    expect(jni, (*jni)->CallNonvirtualDoubleMethod(jni, made, called, by_object, ARGUMENTS));
    (*jni)->DeleteLocalRef(jni, made);
    (*jvmti)->SetThreadLocalStorage(jvmti, NULL, NULL);
}

static jvmtiEnv *agent;

/* begin(): from now on, on this thread, at each allocation. */
JNIEXPORT void JNICALL Java_hazards_Upcalled_begin(JNIEnv *jni, jclass class) {
    by_class = (*jni)->GetStaticMethodID(jni, class, "byClass", DESCRIPTOR);
    by_object = (*jni)->GetMethodID(jni, class, "byObject", DESCRIPTOR);
    constructor = (*jni)->GetMethodID(jni, class, "<init>", "(IJDFIJIJDDDDDDIF)V");
    called = (*jni)->NewGlobalRef(jni, class);
    jthread thread;
    (*agent)->GetCurrentThread(agent, &thread);
    caller = (*jni)->NewGlobalRef(jni, thread);
    (*agent)->SetEventNotificationMode(agent, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    if ((*vm)->GetEnv(vm, (void **)&agent, JVMTI_VERSION_11) != JNI_OK) return 1;
    jvmtiCapabilities capabilities = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = allocated};
    (*agent)->AddCapabilities(agent, &capabilities);
    (*agent)->SetHeapSamplingInterval(agent, 0);
    return (*agent)->SetEventCallbacks(agent, &callbacks, sizeof callbacks);
}
