/* The few functions of Python's stable ABI that are called, declared by hand: the same in Python 3.10 and all later
 * versions, so that one library serves them all, and no Python.h is needed to compile it. */
#ifndef DENOISE_PYTHON_ABI_H
#define DENOISE_PYTHON_ABI_H

#include <stddef.h>

typedef struct _object PyObject;
typedef ptrdiff_t Py_ssize_t;
typedef PyObject *(*FastFunction)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

/* A function as Python is told of it; with FASTCALL it gets its arguments as an array. */
typedef struct {
    const char *name;
    FastFunction function;
    int flags;
    const char *doc;
} MethodDef;
enum { FASTCALL = 0x80 };

extern struct _object _Py_NoneStruct, _Py_FalseStruct, PyDict_Type;
extern PyObject *PyExc_TypeError, *PyExc_ValueError;

void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
PyObject *PyObject_Type(PyObject *);
Py_ssize_t PyObject_Size(PyObject *);
PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
PyObject *PyObject_CallFunction(PyObject *, const char *format, ...);
PyObject *Py_BuildValue(const char *format, ...);
PyObject *PyCFunction_NewEx(MethodDef *, PyObject *self, PyObject *module);
PyObject *PyCapsule_New(void *, const char *name, void (*destructor)(PyObject *));
void *PyCapsule_GetPointer(PyObject *, const char *name);
PyObject *PyTuple_Pack(Py_ssize_t, ...);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
PyObject *PyList_New(Py_ssize_t);
PyObject *PyList_GetItem(PyObject *, Py_ssize_t);
int PyList_Append(PyObject *, PyObject *);
PyObject *PyDict_New(void);
PyObject *PyDict_GetItemWithError(PyObject *, PyObject *);
int PyDict_Update(PyObject *, PyObject *);
int PyDict_Next(PyObject *, Py_ssize_t *, PyObject **, PyObject **);
int PySet_Contains(PyObject *, PyObject *);
PyObject *PyLong_FromLong(long);
long PyLong_AsLong(PyObject *);
PyObject *PyByteArray_FromStringAndSize(const char *, Py_ssize_t);
PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t);
int PyBytes_AsStringAndSize(PyObject *, char **, Py_ssize_t *);
const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *);
Py_ssize_t PyUnicode_GetLength(PyObject *);
PyObject *PyUnicode_FromString(const char *);
PyObject *PyUnicode_InternFromString(const char *);
PyObject *PyUnicode_Substring(PyObject *, Py_ssize_t start, Py_ssize_t end);
PyObject *PyUnicode_AsEncodedString(PyObject *, const char *encoding, const char *errors);
PyObject *PyErr_Occurred(void);
PyObject *PyErr_NoMemory(void);
void PyErr_Clear(void);
void PyErr_SetString(PyObject *, const char *);

#define NONE (&_Py_NoneStruct)

#endif
